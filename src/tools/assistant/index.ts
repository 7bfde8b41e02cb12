import { defineToolset } from '../../contract/define-tool.ts';
import { createCalendar } from '../../ground/calendar.ts';
import { bash } from './bash.ts';
import { bashInput } from './bash-input.ts';
import { bashKill } from './bash-kill.ts';
import { bashList } from './bash-list.ts';
import { bashOutput } from './bash-output.ts';
import { editFile } from './edit-file.ts';
import { forget } from './forget.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { readFile } from './read-file.ts';
import { recall } from './recall.ts';
import { remember } from './remember.ts';
import { updateMemory } from './update-memory.ts';
import { createWebFetch } from './web-fetch.ts';
import { writeFile } from './write-file.ts';

/** The tools of document 001. */
export function createAssistantToolset({ timeZone }: { readonly timeZone?: string | undefined } = {}) {
  return defineToolset('assistant', [
    readFile,
    writeFile,
    editFile,
    listFiles,
    glob,
    grep,
    bash,
    bashOutput,
    bashInput,
    bashKill,
    bashList,
    createWebFetch(createCalendar(timeZone)),
    remember,
    recall,
    updateMemory,
    forget,
  ]);
}
