import * as z from 'zod';
import { type OperatorApi, pathOfParts } from '../../operator/api.ts';
import { projectIdOf } from '../../operator/project.ts';
import { withApi } from '../../operator/with-api.ts';
import { DONE, type Invocation, UsageError } from '../command.ts';
import { moment, momentOrNull } from '../moment.ts';
import { table } from '../table.ts';

const keySchema = z.looseObject({
  id: z.string(),
  kind: z.enum(['admin', 'api']),
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
});
const pageSchema = z.object({ data: z.array(keySchema), next_cursor: z.string().nullable() });
const createdSchema = z.looseObject({ ...keySchema.shape, secret: z.string() });
const revocationSchema = z.object({ outcome: z.string(), effect: z.string(), key: keySchema });

type Key = z.output<typeof keySchema>;

/** Admin keys, or with --project the keys of one project. */
export async function listKeys(invocation: Invocation): Promise<number> {
  const keys = await withApi(invocation, async (api) => allKeys(api, await projectOf(invocation, api)));
  if (invocation.has('json')) {
    invocation.say(JSON.stringify({ keys }));
  } else if (keys.length === 0) {
    invocation.say('The project has no keys; postern keys create makes one.');
  } else {
    const rows = keys.map((key) => [
      key.id,
      key.name,
      `${key.prefix}…`,
      key.kind === 'admin' ? 'all' : key.scopes.join(','),
      key.revoked_at === null ? momentOrNull(key.expires_at) : `revoked ${moment(key.revoked_at)}`,
      momentOrNull(key.last_used_at),
    ]);
    for (const line of table(['KEY_ID', 'NAME', 'SECRET', 'SCOPES', 'EXPIRES', 'LAST_USED'], rows))
      invocation.say(line);
  }
  return DONE;
}

async function allKeys(api: OperatorApi, project: string | undefined): Promise<Key[]> {
  const keys: Key[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: '100',
      ...(project === undefined ? {} : { project_id: project }),
      ...(cursor === null ? {} : { cursor }),
    });
    const page = pageSchema.parse(await api.call('GET', `${collection(project)}?${query}`));
    keys.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return keys;
}

/** The secret alone goes to stdout, so that it can be piped into a secret store; the rest goes to stderr. */
export async function createKey(invocation: Invocation): Promise<number> {
  const [name = ''] = invocation.arguments;
  const isOfProject = invocation.option('project') !== undefined;
  const scopes = invocation.option('scopes');
  if (!isOfProject && scopes !== undefined) {
    throw new UsageError('--scopes goes with --project; an admin key may do everything');
  }
  if (isOfProject && scopes === undefined) {
    throw new UsageError('--project needs --scopes, such as --scopes lists:read,campaigns:write');
  }
  const created = await withApi(invocation, async (api) => {
    const project = await projectOf(invocation, api);
    return createdSchema.parse(
      await api.call('POST', collection(project), {
        name,
        ...(project === undefined ? {} : { project_id: project, scopes: listOf(scopes) }),
        ...(invocation.option('expires') === undefined ? {} : { expires_at: invocation.option('expires') }),
      }),
    );
  });
  if (invocation.has('json')) {
    invocation.say(JSON.stringify(created));
    return DONE;
  }
  const rights =
    created.kind === 'admin'
      ? 'an admin key, which may do everything in every project'
      : created.scopes.join(', ');
  invocation.warn(`Key ${created.id} (${rights}); its secret is not shown again:`);
  invocation.say(created.secret);
  return DONE;
}

export async function revokeKey(invocation: Invocation): Promise<number> {
  const [keyId = ''] = invocation.arguments;
  const { effect } = await withApi(invocation, async (api) => {
    const project = await projectOf(invocation, api);
    const query = project === undefined ? '' : `?${new URLSearchParams({ project_id: project })}`;
    return revocationSchema.parse(
      await api.call('DELETE', `${collection(project)}${pathOfParts(keyId)}${query}`),
    );
  });
  invocation.say(effect);
  return DONE;
}

async function projectOf(invocation: Invocation, api: OperatorApi): Promise<string | undefined> {
  const given = invocation.option('project');
  return given === undefined ? undefined : projectIdOf(api, given);
}

function collection(project: string | undefined): string {
  return project === undefined ? '/api/v1/admin-keys' : '/api/v1/api-keys';
}

function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').map((scope) => scope.trim());
}
