import { defineToolset } from '../../contract/tool/define-tool.ts';
import { createCalendar } from '../../ground/calendar.ts';
import { bashInput, bashKill, bashList, bashOutput } from './bash/background.ts';
import { bash } from './bash/bash.ts';
import { editFile } from './editing/edit-file.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { forget, recall, remember, updateMemory } from './memory.ts';
import { readFile } from './read-file.ts';
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
