/**
 * For each sentence that claims something about effects: the test in which it is true, and the one in which it must not
 * stand, each as `file › a part of its title`.
 */
export const rows: readonly { readonly says: string; readonly shown: string; readonly absent: string }[] = [
  ...[
    'Nothing has changed yet. Its changes wait for your answer while this server runs, for an hour at most.',
    'It had been tried, and none of its changes were kept.',
    'It was tried, and nothing has changed yet: its changes wait for that answer, for an hour at most and only while this server runs.',
  ].map((says) =>
    both(says, 'test/sentences/said.test.ts › none of its changes were kept where the person says no'),
  ),
  both(
    '[ended with this command, which left it running: $all$([ $n -gt 5 ] && echo',
    'test/sentences/said.test.ts › names what it left running',
  ),
  {
    says: '[gone with this command, as the session keeps its files in TMPDIR ($k): $all$([ $n -gt 5 ] && echo',
    shown: 'test/command/sessions.test.ts › what is written to /tmp by name is told',
    absent: 'test/command/sessions.test.ts › of a /tmp that lasts as long as the session nothing is told',
  },
  both(
    '[output: only the last frame of each line; … before it left out]',
    'test/sentences/said.test.ts › keeps the last frame of each line',
  ),
  both(
    '[session: the next command begins where this one did: it ended outside]',
    'test/sentences/said.test.ts › says where the next command begins',
  ),
  both(
    "[layer: left as it was, as commands make no such entry, none so deep (… folders), and change nothing in a vault's .system: …]",
    'test/sentences/said.test.ts › says that a pipe is not kept',
  ),
  ...[
    'The changes of this command could not be discarded if it failed, because it would not run on a layer: ….',
    'Nothing of it was kept. Run it without on_failure.',
  ].map((says) => both(says, 'test/sentences/said.test.ts › refuses to discard what cannot be')),
  ...[
    '[layer: it failed, and what it wrote stays, as it did not run on a layer: …]',
    '[layer: it failed, so nothing that it wrote was kept]',
  ].map((says) => both(says, 'test/sentences/said.test.ts › what wrote beside another says that it stays')),
  both(
    '[network: it ran without hosts, as it starts what is only known when it runs; write the names of its programs out]',
    'test/command/network.test.ts › a command that is not read reaches no host, and is told why where it fails',
  ),
  {
    says: '[layer: not written, as no tool writes it and a person has to: …]',
    shown: 'test/effects/obeyed.test.ts › what is left out is named',
    absent: 'test/effects/obeyed.test.ts › what a person or a remote committed at this path comes back',
  },
  {
    says: 'The request is held, and nothing of it has left yet. If you do not agree, or nobody answers in time, it is refused.',
    shown: 'test/edge/asked.test.ts › a person sees what it would send before it leaves',
    absent: 'test/edge/asked.test.ts › changes nothing there in a dry run',
  },
  {
    says: 'This is a dry run: requests that do more than read are not sent.',
    shown: 'test/edge/asked.test.ts › changes nothing there in a dry run',
    absent: 'test/edge/asked.test.ts › a person sees what it would send before it leaves',
  },
  {
    says: '[layer: changed by others while this ran, and overwritten: …; sekisho history has what they wrote]',
    shown: 'test/effects/landing.test.ts › the last write stays, the other is told',
    absent: 'test/effects/once.test.ts › what others removed meanwhile is told as that',
  },
  {
    says: '[layer: written in a folder that others changed meanwhile, where they may have removed it: …]',
    shown: 'test/effects/once.test.ts › what others removed meanwhile is told as that',
    absent: 'test/sentences/said.test.ts › says that a pipe is not kept',
  },
  {
    says: '[layer: run again, and nothing of the run before was kept: …]',
    shown:
      'test/effects/landing.test.ts › that moves a folder which is there runs on the folders themselves, once',
    absent: 'test/effects/once.test.ts › is not run again for another git where it wrote outside',
  },
  {
    says: '[history: not written, as no tool writes it and a person has to: …]',
    shown: 'test/effects/watched-obeyed.test.ts › to what no tool writes is refused',
    absent: 'test/effects/watched-obeyed.test.ts › and what everybody does is not asked about',
  },
  ...[
    'It is held now. If you agree, it goes on. If not, or if nobody answers in time, it is ended and all of this is put back.',
    'It had begun on the folders themselves: it was ended, and what it had changed was put back.',
  ].map((says) => ({
    says,
    shown: 'test/effects/watched.test.ts › is held; at a no all is put back',
    absent: 'test/effects/watched.test.ts › goes on at a yes, and is taken back whole',
  })),
  {
    says: '[history: of what is new, … paths are not written down; undo leaves them]',
    shown: 'test/attacks/layer.test.ts › ',
    absent: 'test/sentences/said.test.ts › says that a pipe is not kept',
  },
  ...[
    "[git: the filter … of git's settings did not work in the sandbox, and no content passes git without it here]",
  ].map((says) =>
    both(says, 'test/command/git-settings.test.ts › a filter that cannot run ends the command'),
  ),
  ...[
    "[git: … … unsigned, though the settings sign them (commit.gpgsign): commands have no key without signing.commits; a person signs with git rebase --exec 'git commit --amend --no-edit -S' or git commit --amend -S]",
    '[git: … unsigned, though the settings sign them (tag.gpgsign): commands have no key without signing.commits]',
  ].map((says) => ({
    says,
    shown: 'test/command/git-settings.test.ts › an unsigned commit and tag are told',
    absent: 'test/command/git-settings.test.ts › commits that others made are not told of',
  })),
  both(
    '[git: … made without the hooks …]',
    'test/command/git-settings.test.ts › a commit without the hooks of the repository is told',
  ),
  both(
    '[git: rebase -i kept its list of commits as it was, as nobody edits it here; GIT_SEQUENCE_EDITOR can name a command that does]',
    'test/assistant/bash.test.ts › an interactive rebase says that nothing edited its list',
  ),
  both(
    '[git: made without the template of the settings (init.templateDir)]',
    'test/command/git-settings.test.ts › a repository made without the template is told',
  ),
  ...['[ended with exit code …]', '… takes no input: it has ended, or was not started with background.'].map(
    (says) => both(says, 'test/sentences/said.test.ts › of one in the background says how it ended'),
  ),
  both(
    'Nothing ran. Run it without dry_run, or ask the operator to run `sekisho doctor`.',
    'test/sentences/said.test.ts › a dry run that cannot be had says that nothing ran',
  ),
  {
    says: 'The command ran on a layer, and its changes landed only up to …: …. Those before it are in place; the rest were discarded.',
    shown: 'test/command/try.test.ts › a disk that fills while it lands',
    absent: 'test/sentences/said.test.ts › says that a pipe is not kept',
  },
  both(
    '[session: not kept for later commands: …]',
    'test/command/sessions.test.ts › is not kept: it says what later names mean',
  ),
  {
    says: 'It was tried, and none of its changes were kept: …. Denied by rule ….',
    shown: 'test/command/try.test.ts › ',
    absent: 'test/sentences/said.test.ts › none of its changes were kept where the person says no',
  },
  ...[
    'dry run: nothing was changed, and nothing would have been',
    'dry run: nothing was changed; it would change …',
    '[… the rest of the diff is left out …]',
  ].map((says) => both(says, 'src/ground/effects/dry-run-report.test.ts › ')),
  both(
    '… bytes are more than …. Nothing was written.',
    'test/pipeline/writing.test.ts › 2 MB need a confirmation that says the size',
  ),
  both(
    '… is gone; this ran in the root.',
    'test/pipeline/running.test.ts › a folder that vanished falls back and says so',
  ),
  both(
    '… would be executable (…); programs and scripts are not written.',
    'test/sentences/told.test.ts › that writes no programs says so, and writes a text',
  ),
  both(
    '[… … left out: write the output to a file and read the file to see all of it …]',
    'test/sentences/told.test.ts › that shortens an output says how much it left out',
  ),
  both(
    '[… … left out… …]',
    'test/sentences/told.test.ts › that shortens an output says how much it left out',
  ),
  both(
    'There is no space left to write …; nothing was changed.',
    'test/sentences/told.test.ts › a full disk is told with what was left undone',
  ),
  both(
    'The command ran on a layer, and nothing of it was kept: there is no space left to note its changes.',
    'test/sentences/told.test.ts › a full disk is told with what was left undone',
  ),
  both(
    'Nothing in the folders has changed. Send it again once the operator has freed space.',
    'test/sentences/told.test.ts › a full disk is told with what was left undone',
  ),
  both(
    '[Left out, as no content that MCP knows or not in its form: ….]',
    'test/upstream/told.test.ts › what is left out of a result is named',
  ),
  both(
    '[The structured data of … was left out: the limit is … (maxResultChars). Ask for less at once.]',
    'test/upstream/told.test.ts › what is left out of a result is named',
  ),
  both(
    '[The structured data was left out: it is no object.]',
    'test/upstream/told.test.ts › what is left out of a result is named',
  ),
  {
    says: 'Some is left out: …. full: true returns all.',
    shown: 'test/network/told.test.ts › is told to be less than a page',
    absent: 'test/network/told.test.ts › nothing is told of',
  },
  {
    says: 'Little text is here: the page seems to be filled by a script, and scripts are not run. Look for an API or another source.',
    shown: 'test/network/told.test.ts › is told to be less than a page',
    absent: 'test/network/told.test.ts › nothing is told of',
  },
  both(
    'with the root /, nothing is left outside that a sandbox could protect',
    'test/command/commands.test.ts › with / as a root there is no %s, and the reason is said',
  ),
  {
    says: 'Nothing was changed. If this persists, ask the operator to make the records writable.',
    shown: 'test/records/full-disk.test.ts › with a full disk: not run, and said so',
    absent: 'test/records/full-disk.test.ts › when the disk fills as it begins',
  },
  {
    says: 'This was run, but its record could not be written. Changes that it made remain.',
    shown: 'test/records/full-disk.test.ts › when the disk fills as it begins',
    absent: 'test/records/full-disk.test.ts › with a full disk: not run, and said so',
  },
  {
    says: 'The old content cannot be kept for undo, so nothing was changed.',
    shown: 'test/records/full-disk.test.ts › when the disk fills as it begins',
    absent: 'test/records/full-disk.test.ts › with a full disk: not run, and said so',
  },
  both(
    "The token is not valid or its session has ended: call 'authenticate' again and pass the new session_token.",
    'test/team/help.test.ts › is told how to come in, and one whose token is worth nothing',
  ),
  {
    says: '[history: it passed the limit of a rule about effects, and nobody agreed: it was ended, and what it had changed is put back]',
    shown: 'test/effects/watched-walls.test.ts › is held at the limit, and put back at a no',
    absent: 'test/effects/watched-walls.test.ts › goes on at a yes, and is undone byte for byte',
  },
  both(
    'does not ask; what the built-in rules deny stays denied',
    'test/judgement/policy-trial.test.ts › an allowed call names the rule of the operator, or the mode',
  ),
  both(
    'The call was cancelled; … was not changed.',
    'test/sentences/endings.test.ts › a cancelled call that was about to write says that it was not changed',
  ),
  {
    says: 'Check what is there before you repeat it. `sekisho undo` undoes what landed.',
    shown: 'test/command/try.test.ts › a disk that fills while it lands',
    absent: 'test/sentences/told.test.ts › a full disk is told with what was left undone',
  },
  ...[
    'No sandbox works on this machine, so commands are not run.',
    '"sekisho doctor" tells the operator why none of them works.',
  ].map((says) =>
    both(says, 'test/sentences/endings.test.ts › without a sandbox that works no command runs'),
  ),
  both(
    'It ended with its session, or was never started; run it again.',
    'test/sentences/endings.test.ts › a command that nobody began is said to have ended',
  ),
  both(
    'Written, but it has ended.',
    'test/sentences/endings.test.ts › input for a program that ends by it is written',
  ),
  both(
    'The server ended before it answered. It may have carried out the call.',
    'test/upstream/told.test.ts › is told as it is',
  ),
  both(
    '[… characters were left out: the limit is …. Ask for less at once.]',
    'test/upstream/calls.test.ts › long results are cut at the limit and say so',
  ),
  both(
    'none of its changes were kept: … (…)',
    'test/effects/judged.test.ts › a rule of the operator about effects holds for every command',
  ),
  both(
    'nothing has changed yet: … (…); send the same call again to have a person asked',
    'test/effects/judged.test.ts › one that outlives its call waits to be asked about',
  ),
  both(
    '[layer: its server was killed after … had ended (…); …]',
    'test/sentences/endings.test.ts › of a command whose server was killed the next one tells',
  ),
  both(
    '[dry run: ended, as it wrote more than … MiB]',
    'test/sentences/told.test.ts › a dry run that would fill the disk is ended and says so',
  ),
  both('The server ended.', 'test/upstream/told.test.ts › is told as it is'),
  both(
    'A person stopped all work, and this call ended with it.',
    'test/road/runaway-wire.test.ts › halt ends every kind of work in two servers within a second',
  ),
  both(
    'What it wrote on a layer is discarded; other changes stay and can be undone. Stop here and tell the user.',
    'test/road/runaway-wire.test.ts › halt ends every kind of work in two servers within a second',
  ),
  {
    says: '[Sekisho: … was changed by somebody else after this session last read or wrote it, and this write replaces that. If their change is to stay, write the file again with it.]…',
    shown: 'test/history/stale.test.ts › is told, with what they changed, by a person',
    absent: 'test/history/stale.test.ts › of a change that a call saw and another made',
  },
  both(
    '… was changed by somebody else after this session last read or wrote it, so it was not written.…',
    'test/history/stale.test.ts › is refused where the operator wants it, until the file was read again',
  ),
  both(
    "Opened at localhost, it also gets the cookies of other servers there. The session's own name, which the reply gives, has none of them.",
    'test/publish/programs.test.ts › what also gets the cookies of other servers there at localhost has none of them',
  ),
  {
    says: '… is not served here. Undo it at ….',
    shown: 'test/fleet/two-nodes.test.ts › undo says whose, and changes nothing',
    absent: 'test/fleet/two-nodes.test.ts › is taken back at another that has the folder',
  },
];

function both(says: string, where: string) {
  return { says, shown: where, absent: where };
}
