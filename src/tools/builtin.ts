// Every built-in tool, one line each.
import { createEchoTool } from './echo/echo.ts';
import { createListDirTool } from './fs/list-dir.ts';
import { createReadFileTool } from './fs/read-file.ts';
import { createPwdTool } from './shell/pwd.ts';
import { createCurrentTimeTool } from './time/current.ts';
import { createTimeNowTool } from './time/now.ts';
import type { ToolSpec } from './tool.ts';

export interface BuiltinToolsDependencies {
  systemTimezone(): string;
}

export function createBuiltinTools({ systemTimezone }: BuiltinToolsDependencies): ToolSpec[] {
  return [
    createTimeNowTool(),
    createCurrentTimeTool({ systemTimezone }),
    createEchoTool(),
    createPwdTool(),
    createListDirTool(),
    createReadFileTool(),
  ];
}
