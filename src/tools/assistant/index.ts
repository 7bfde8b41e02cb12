import { defineToolset } from '../../contract/tool/define-tool.ts';
import { createCalendar } from '../../ground/calendar.ts';
import { bash } from './bash/bash.ts';
import { bashInput } from './bash/bash-input.ts';
import { bashKill } from './bash/bash-kill.ts';
import { bashList } from './bash/bash-list.ts';
import { bashOutput } from './bash/bash-output.ts';
import { editFile } from './editing/edit-file.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';
import { listFiles } from './list-files.ts';
import { forget } from './memory/forget.ts';
import { recall } from './memory/recall.ts';
import { remember } from './memory/remember.ts';
import { updateMemory } from './memory/update-memory.ts';
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
