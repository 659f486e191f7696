import * as z from 'zod';
import { operation } from '../operation.ts';
import { createSegment as create } from '../segments/segments.ts';
import { segmentInput, segmentSchema } from '../segments/shapes.ts';
import { projectIdField } from '../shapes/common.ts';

export const createSegment = operation({
  name: 'create_segment',
  call: 'Call it to keep a condition under a name, so that campaigns can go to those on their lists whom it matches.',
  needs:
    'Needs segments:write, and a condition over fields, attributes, dates and what campaigns led to; try it with count_segment first.',
  returns: 'Returns the segment.',
  http: { method: 'POST', path: '/segments', status: 201 },
  tool: true,
  rights: { scope: 'segments:write', project: 'context', references: { condition: 'condition' } },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...segmentInput }),
  output: segmentSchema,
  errors: [],
  handle: ({ name, condition }, { ports, caller, projectId }) =>
    create(ports, caller.keyId, projectId, { name, condition }),
});
