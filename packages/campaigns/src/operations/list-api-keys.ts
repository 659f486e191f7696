import * as z from 'zod';
import { pageOfApiKeys } from '../keys/api-keys.ts';
import { keyAnswer, keySchema } from '../keys/shapes.ts';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';

export const listApiKeys = operation({
  name: 'list_api_keys',
  call: 'Call it to see which keys a project has, what they may do and when they were last used.',
  needs: 'Needs keys:read.',
  returns: 'Returns a page of keys without their secrets, oldest first, revoked and expired ones too.',
  http: { method: 'GET', path: '/api-keys' },
  tool: true,
  rights: { scope: 'keys:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('key') }),
  output: pageSchema(keySchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfApiKeys(ports, projectId, input);
    return { data: rows.map(keyAnswer), next_cursor };
  },
});
