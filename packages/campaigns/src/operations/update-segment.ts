import * as z from 'zod';
import { operation } from '../operation.ts';
import { updateSegment as update } from '../segments/segments.ts';
import { segmentInput, segmentSchema } from '../segments/shapes.ts';
import { projectIdField, segmentIdSchema } from '../shapes/common.ts';

export const updateSegment = operation({
  name: 'update_segment',
  call: "Call it to change a segment's name or its whole condition; what you leave out stays.",
  needs: 'Needs segments:write.',
  returns: 'Returns the segment after the change; campaigns that are launched later go by it.',
  http: { method: 'PATCH', path: '/segments/:segment_id' },
  tool: true,
  rights: { scope: 'segments:write', project: 'context', references: { condition: 'condition' } },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    segment_id: segmentIdSchema,
    name: segmentInput.name.optional(),
    condition: segmentInput.condition.optional(),
  }),
  output: segmentSchema,
  errors: ['not_found'],
  handle: ({ segment_id, name, condition }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, segment_id, { name, condition }),
});
