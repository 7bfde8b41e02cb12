import type { JudgeContext } from '../../contract/capabilities/judgement.ts';
import type { CommandLine } from '../../contract/capabilities/process.ts';
import type { Text } from '../../contract/text/text.ts';
import type { CommandJob } from './jobs.ts';
import { linksIn } from './places/made-links.ts';
import { foldersAfter, goesDown, sceneAt, sceneIn, takesBeyond } from './places/targets.ts';
import { type Lack, lackOf } from './rules/needs.ts';
import type { CommandRule, ReadFile, Scene, Use } from './rules/rule.ts';
import type { Variables } from './variables/values.ts';
import type { Word } from './words/word.ts';

/** Something that a rule has to say of the command. */
export interface Finding {
  readonly rule: string;
  readonly excerpt: string;
  /** What was found, where a rule is about many things. */
  readonly named?: Text | undefined;
  /** Why a person's yes could not help. */
  readonly lack?: Lack | undefined;
  /** It is about a folder that lies in no root, so that no layer contains it. */
  readonly isBeyond?: boolean | undefined;
  /** What runs may be written so that it is not so. */
  readonly isGuarded?: boolean | undefined;
  /** What runs is written so that it is not so. */
  readonly isChanged?: boolean | undefined;
  /** The command it was found in; nothing for a construct. */
  readonly use?: Use | undefined;
}

/** Every rule that looks at a program, by its name; under `''` those that look at a program without its own. */
export type RuleIndex = ReadonlyMap<string, readonly CommandRule[]>;

/** A command, and where it was found. */
export type FoundUse = Pick<CommandJob, 'place' | 'excerpt' | 'isOwn'> & { readonly use: Use };

/** What is true of the whole line once all of its commands are known. */
export function sceneOf(
  whole: {
    readonly line: CommandLine;
    readonly context: JudgeContext;
    readonly folders: readonly Word[];
    readonly variables: Variables;
    readonly read: ReadFile;
  },
  uses: readonly Use[],
): Scene {
  const { line, context, folders, variables, read } = whole;
  const unlinked: Scene = {
    dialect: context.dialect,
    shell: line.kind === 'script' ? line.shell : undefined,
    confinement: context.confinement,
    roots: context.roots,
    folders: foldersAfter(context.workingFolder, folders, variables),
    variables,
    links: [],
    read,
  };
  return { ...unlinked, links: linksIn(uses, unlinked) };
}

/** Asks of every command the rules that look at its program. */
export function heldAgainst(
  rules: RuleIndex,
  found: readonly FoundUse[],
  scene: Scene,
  { context, folders }: { readonly context: JudgeContext; readonly folders: readonly Word[] },
): readonly Finding[] {
  const findings: Finding[] = [];
  const onlyDown = folders.every(goesDown);
  const scenes = new Map<readonly Word[], Scene | undefined>();
  for (const { use, place, excerpt, isOwn } of found) {
    const own = rules.get(use.program);
    const isExact = place.isExact && use.via.length === 0 && isOwn;
    // To rules for every program it is all the same where that runs.
    const exact = !own || !isExact ? undefined : sceneOfPlace(place.folders);
    const there = exact ?? (own && onlyDown ? sceneIn(scene, place.folders) : scene);
    for (const rule of own ?? rules.get('') ?? []) {
      if (!rule.fits(use, there)) continue;
      const lack = lackOf(rule.needs?.(use), scene.confinement);
      const isBeyond = rule.contained && use.args.some((word) => takesBeyond(word, there));
      findings.push({ rule: rule.id, lack, isBeyond, excerpt: excerpt(), use, named: rule.names?.(use) });
    }
  }
  return findings;

  /** Commands that stand one after the other share their folders. */
  function sceneOfPlace(entered: readonly Word[]): Scene | undefined {
    if (!scenes.has(entered)) scenes.set(entered, sceneAt(scene, context.workingFolder, entered));
    return scenes.get(entered);
  }
}
