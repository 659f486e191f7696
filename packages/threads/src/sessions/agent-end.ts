import type { AgentEnd } from '../agent/agent.ts';

/** How an agent ended, in words for a thread. */
export function endInWords({ signal, exitCode }: AgentEnd): string {
  if (signal !== null) return `signal ${signal}`;
  return exitCode === null ? 'it did not start' : `exit code ${exitCode}`;
}

/** The end of its error output, as code, so that nothing in it is Markdown. */
export function errorBlock({ errorOutput }: AgentEnd): string {
  const tail = errorOutput.trim().split('\n').slice(-5).join('\n').slice(-500).replaceAll('```', "'''");
  return tail === '' ? '' : `\n\`\`\`\n${tail}\n\`\`\``;
}
