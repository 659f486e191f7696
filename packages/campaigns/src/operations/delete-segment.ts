import * as z from 'zod';
import { operation } from '../operation.ts';
import { deleteSegment as remove } from '../segments/segments.ts';
import { effectSchema, projectIdField, segmentIdSchema } from '../shapes/common.ts';

export const deleteSegment = operation({
  name: 'delete_segment',
  call: 'Call it to delete a segment, for good; nobody is deleted with it.',
  needs: 'Needs segments:write, and no scheduled campaign that goes to the segment.',
  returns: 'Returns that it is deleted.',
  http: { method: 'DELETE', path: '/segments/:segment_id', status: 204 },
  tool: true,
  rights: { scope: 'segments:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, segment_id: segmentIdSchema }),
  output: z.strictObject({ outcome: z.literal('deleted'), effect: effectSchema, segment: z.null() }),
  errors: ['not_found', 'precondition_failed'],
  async handle({ segment_id }, { ports, caller, projectId }) {
    const effect = await remove(ports, caller.keyId, projectId, segment_id);
    return { outcome: 'deleted' as const, effect, segment: null };
  },
});
