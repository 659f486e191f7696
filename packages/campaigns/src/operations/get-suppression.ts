import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, suppressionIdSchema } from '../shapes/common.ts';
import { suppressionSchema } from '../suppressions/shapes.ts';
import { getSuppression as get } from '../suppressions/suppressions.ts';

export const getSuppression = operation({
  name: 'get_suppression',
  call: 'Call it to read one suppression by id; with an address, call list_suppressions.',
  needs: 'Needs suppressions:read.',
  returns: 'Returns the suppression with its reason and where it comes from.',
  http: { method: 'GET', path: '/suppressions/:suppression_id' },
  tool: true,
  rights: { scope: 'suppressions:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, suppression_id: suppressionIdSchema }),
  output: suppressionSchema,
  errors: ['not_found'],
  handle: ({ suppression_id }, { ports, projectId }) => get(ports, projectId, suppression_id),
});
