import type { AgentLaunch } from '../agent.ts';
import { agentSettings } from './settings.ts';

/** Name of the server of our own tools; the tools are `mcp__claude-threads-mcp__<tool>`. */
export const TOOLS_SERVER = 'claude-threads-mcp';

/** A question may wait for a person as long as this before the CLI gives up on the call. */
const TOOL_CALL_TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** How the server of our own tools is started. */
export interface ToolsServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Arguments of the CLI. Any user of the machine can read them, where the system does not hide them: they hold no
 * secret, no message and nothing that people have had remembered.
 */
export function commandLine(
  launch: AgentLaunch,
  files: {
    readonly mcpConfig: string;
    /** Null where there is none. */
    readonly background: string | null;
  },
  /** Whether the CLI can be told to take the system prompt as it is given now, and not as it was at first. */
  canRenewPrompt: boolean,
): string[] {
  return [
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    '--replay-user-messages',
    ...[launch.resume ? '--resume' : '--session-id', launch.agentSessionId],
    ...['--mcp-config', files.mcpConfig],
    ...(launch.permissionMode === 'bypass'
      ? ['--dangerously-skip-permissions']
      : ['--permission-prompt-tool', `mcp__${TOOLS_SERVER}__permission_prompt`]),
    ...(launch.permissionMode === 'auto' ? ['--permission-mode', 'auto'] : []),
    ...(launch.systemPrompt === '' ? [] : ['--append-system-prompt', launch.systemPrompt]),
    ...(files.background === null ? [] : ['--append-system-prompt-file', files.background]),
    ...(canRenewPrompt ? ['--system-prompt-snapshot', 'off'] : []),
    ...['--settings', agentSettings(launch)],
  ];
}

/**
 * Content of the `--mcp-config` file.
 *
 * @param blanked Variables of the CLI's environment, which the server would inherit, that it has no use for.
 */
export function mcpConfig({ command, args, env }: ToolsServer, blanked: readonly string[]): string {
  const blanks = Object.fromEntries(blanked.map((name) => [name, '']));
  return JSON.stringify({
    mcpServers: {
      [TOOLS_SERVER]: {
        type: 'stdio',
        command,
        args,
        timeout: TOOL_CALL_TIMEOUT_MS,
        env: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', ...blanks, ...env },
      },
    },
  });
}
