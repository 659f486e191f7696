import type { CommandCall, CommandResult } from './command.ts';
import { refused, silent } from './definition.ts';

/** Hands one of the agent's own slash commands on, unless the agent says that it has no such. */
export async function agentCommand(
  { session, person, actions }: CommandCall,
  name: string,
  rest = '',
): Promise<CommandResult> {
  if (session === null) return refused('There is no session.');
  // Before the agent is up it has not said anything yet.
  const known = await actions.slashCommands(session.id);
  if (known.length > 0 && !known.includes(name)) return refused(`This agent has no \`/${name}\`.`);
  await actions.passThrough(session.id, `/${name} ${rest}`.trim(), person);
  return silent;
}
