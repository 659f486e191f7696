import { relative } from 'node:path';
import { inlineCode } from './markup.ts';

/** Longest argument in a tool's line, in characters. */
const LONGEST_ARGUMENT = 120;
const OWN_TOOL = /^mcp__claude-threads-mcp__(.+)$/;
const MCP_TOOL = /^mcp__(.+?)__(.+)$/;

/** The argument that says the most, by tool. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  Bash: ['command'],
  Read: ['file_path'],
  Edit: ['file_path'],
  MultiEdit: ['file_path'],
  Write: ['file_path'],
  NotebookEdit: ['notebook_path'],
  Glob: ['pattern'],
  Grep: ['pattern'],
  WebFetch: ['url'],
  WebSearch: ['query'],
  Skill: ['skill', 'command'],
};
const PATHS = new Set(['file_path', 'notebook_path', 'path']);

/** Tools that people meet elsewhere: as the task list, or as a question. */
const SHOWN_ELSEWHERE = new Set([
  ...['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
  ...['AskUserQuestion', 'ExitPlanMode', 'EnterPlanMode', 'ToolSearch'],
]);

type Input = Readonly<Record<string, unknown>>;

export function hasLine(tool: string): boolean {
  return !SHOWN_ELSEWHERE.has(tool);
}

export function isSubagent(tool: string): boolean {
  return tool === 'Task' || tool === 'Agent';
}

/** A tool's name for people. */
export function toolName(tool: string): string {
  const own = OWN_TOOL.exec(tool)?.[1];
  if (own !== undefined) return own;
  const [, server, name] = MCP_TOOL.exec(tool) ?? [];
  return server === undefined ? tool : `${server}: ${name}`;
}

/** A list item: the tool's name and its most telling argument; paths below the working folder are relative. */
export function toolLine(tool: string, input: Input, workingDir: string): string {
  const argument = inlineCode(argumentOf(tool, input, workingDir), LONGEST_ARGUMENT);
  return `- **${toolName(tool)}**${argument === '' ? '' : ` ${argument}`}`;
}

function argumentOf(tool: string, input: Input, workingDir: string): string {
  const names = TELLING[tool] ?? Object.keys(input);
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string' && value.trim() !== '') {
      return PATHS.has(name) ? pathFrom(workingDir, value) : value;
    }
  }
  return '';
}

function pathFrom(workingDir: string, path: string): string {
  const below = relative(workingDir, path);
  return below !== '' && !below.startsWith('..') ? below : path;
}
