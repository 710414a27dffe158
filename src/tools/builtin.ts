// Every built-in tool, one line each.
import type { Docs } from '../docs/docs.ts';
import type { Skills } from '../skills/skills.ts';
import { createDocsListTool } from './docs/list.ts';
import { createDocsReadTool } from './docs/read.ts';
import { createDocsSearchTool } from './docs/search.ts';
import { createEchoTool } from './echo/echo.ts';
import { createEditFileTool } from './fs/edit-file.ts';
import { createListDirTool } from './fs/list-dir.ts';
import { createReadFileTool } from './fs/read-file.ts';
import { createWriteFileTool } from './fs/write-file.ts';
import { createPwdTool } from './shell/pwd.ts';
import { createSkillListTool } from './skills/list.ts';
import { createSkillLoadTool } from './skills/load.ts';
import { createCurrentTimeTool } from './time/current.ts';
import { createTimeNowTool } from './time/now.ts';
import type { ToolSpec } from './tool.ts';

export interface BuiltinToolsDependencies {
  systemTimezone(): string;
  docs(): Promise<Docs>;
  skills(): Promise<Skills>;
  /** Of what file_write may leave; 1 MiB by default. */
  maxFileSizeBytes?: number;
}

export function createBuiltinTools({
  systemTimezone,
  docs,
  skills,
  maxFileSizeBytes,
}: BuiltinToolsDependencies): ToolSpec[] {
  return [
    createTimeNowTool(),
    createCurrentTimeTool({ systemTimezone }),
    createEchoTool(),
    createPwdTool(),
    createListDirTool(),
    createReadFileTool(),
    createWriteFileTool({ maxFileSizeBytes }),
    createEditFileTool(),
    createDocsSearchTool({ docs }),
    createDocsReadTool({ docs }),
    createDocsListTool({ docs }),
    createSkillListTool({ skills }),
    createSkillLoadTool({ skills }),
  ];
}
