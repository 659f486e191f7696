import * as z from 'zod';
import { pathOfParts } from '../../operator/api.ts';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation } from '../command.ts';
import { moment, momentOrNull } from '../moment.ts';
import { table } from '../table.ts';

const agentsSchema = z.object({
  agents: z.array(
    z.object({
      agent_id: z.string(),
      first_seen_at: z.string(),
      last_read_at: z.string().nullable(),
      read_count: z.number(),
      unread_count: z.number(),
    }),
  ),
});
const tokenSchema = z.object({
  token_id: z.string(),
  name: z.string().nullable(),
  agent_id: z.string(),
  scopes: z.array(z.string()),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
const tokensSchema = z.object({ tokens: z.array(tokenSchema) });
const createdSchema = z.looseObject({ ...tokenSchema.shape, token: z.string() });

const DEFAULT_SCOPES = 'read,send';

export async function listAgents(invocation: Invocation): Promise<number> {
  const { agents } = await withApi(invocation, async (api) =>
    agentsSchema.parse(await api.call('GET', '/agents')),
  );
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ agents }));
  } else if (agents.length === 0) {
    invocation.say('No agent has read anything yet.');
  } else {
    const rows = agents.map((agent) => [
      agent.agent_id,
      agent.unread_count,
      agent.read_count,
      momentOrNull(agent.last_read_at),
      moment(agent.first_seen_at),
    ]);
    for (const line of table(['AGENT', 'UNREAD', 'READ', 'LAST_READ', 'FIRST_SEEN'], rows))
      invocation.say(line);
  }
  return DONE;
}

export async function listTokens(invocation: Invocation): Promise<number> {
  const { tokens } = await withApi(invocation, async (api) =>
    tokensSchema.parse(await api.call('GET', '/agents/tokens')),
  );
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ tokens }));
  } else if (tokens.length === 0) {
    invocation.say('There are no tokens; agents use AMC_BEARER_TOKEN.');
  } else {
    const rows = tokens.map((token) => [
      token.token_id,
      token.agent_id,
      token.scopes.join(','),
      token.name,
      moment(token.created_at),
      momentOrNull(token.last_used_at),
    ]);
    for (const line of table(['TOKEN_ID', 'AGENT', 'SCOPES', 'NAME', 'CREATED', 'LAST_USED'], rows))
      invocation.say(line);
  }
  return DONE;
}

/** The token alone goes to stdout, so that it can be piped into a secret store; the rest goes to stderr. */
export async function createToken(invocation: Invocation): Promise<number> {
  const [agentId = ''] = invocation.arguments;
  const name = invocation.option('name');
  const created = await withApi(invocation, async (api) =>
    createdSchema.parse(
      await api.call('POST', '/agents/tokens', {
        agent_id: agentId,
        scopes: (invocation.option('scopes') ?? DEFAULT_SCOPES).split(',').map((scope) => scope.trim()),
        ...(name === undefined ? {} : { name }),
      }),
    ),
  );
  if (invocation.has('json')) {
    invocation.say(JSON.stringify(created));
    return DONE;
  }
  invocation.warn(
    `Token ${created.token_id} for agent ${created.agent_id} (${created.scopes.join(', ')}); it is not shown again:`,
  );
  invocation.say(created.token);
  return DONE;
}

export async function revokeToken(invocation: Invocation): Promise<number> {
  const [tokenId = ''] = invocation.arguments;
  await withApi(invocation, (api) => api.call('DELETE', pathOfParts('agents', 'tokens', tokenId)));
  invocation.say(`${tokenId} is revoked.`);
  return DONE;
}
