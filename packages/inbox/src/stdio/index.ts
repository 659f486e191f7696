import { keepHeapSmall, runMcpStdio, stderrLog, toolList } from '@postern/http/mcp';
import { inboxDialect } from '../errors.ts';
import { inboxOperations } from '../operations/index.ts';
import { inboxInstructions, inboxServerInfo } from '../server-info.ts';
import { EnvironmentError, hubAddress } from './environment.ts';
import { callTool } from './tools.ts';

/**
 * Serves the inbox's four tools over stdin and stdout until stdin ends; each is one call to the hub's REST
 * API. Nothing is asked of the hub at the start.
 *
 * @param installation folder of the installation, where a hub started there keeps its data.
 * @returns exit code: 0, or 1 when the environment cannot be used.
 */
export async function runInboxStdio(environment: NodeJS.ProcessEnv, installation: string): Promise<number> {
  keepHeapSmall();
  const tools = inboxOperations.filter((operation) => operation.tool);
  const byName = new Map(tools.map((operation) => [operation.name, operation]));
  let hub: ReturnType<typeof hubAddress>;
  try {
    hub = hubAddress(environment, installation);
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
  await runMcpStdio({
    info: inboxServerInfo,
    instructions: inboxInstructions,
    tools: toolList(tools, { dialect: inboxDialect }),
    dialect: inboxDialect,
    log: stderrLog,
    async call(name, args, signal) {
      const operation = byName.get(name);
      if (!operation) throw new Error(`no operation stands behind the tool ${name}`);
      return callTool(hub, operation, args, signal);
    },
  });
  return 0;
}
