import * as z from 'zod';
import { getList as get } from '../lists/lists.ts';
import { listSchema } from '../lists/shapes.ts';
import { operation } from '../operation.ts';
import { listIdSchema, projectIdField } from '../shapes/common.ts';

export const getList = operation({
  name: 'get_list',
  call: 'Call it to read one list and how many subscribers it has in each status.',
  needs: 'Needs lists:read.',
  returns: 'Returns the list with its counts, also when it was deleted.',
  http: { method: 'GET', path: '/lists/:list_id' },
  tool: true,
  rights: { scope: 'lists:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, list_id: listIdSchema }),
  output: listSchema,
  errors: ['not_found'],
  handle: ({ list_id }, { ports, projectId }) => get(ports, projectId, list_id),
});
