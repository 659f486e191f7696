import * as z from 'zod';
import { operation } from '../operation.ts';
import { effectSchema, projectIdField, templateIdSchema } from '../shapes/common.ts';
import { deleteTemplate as remove } from '../templates/templates.ts';

export const deleteTemplate = operation({
  name: 'delete_template',
  call: 'Call it to delete a template, for good.',
  needs: 'Needs templates:write.',
  returns: 'Returns that it is deleted. Campaigns that were launched keep what they took from it.',
  http: { method: 'DELETE', path: '/templates/:template_id', status: 204 },
  tool: true,
  rights: { scope: 'templates:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, template_id: templateIdSchema }),
  output: z.strictObject({ outcome: z.literal('deleted'), effect: effectSchema, template: z.null() }),
  errors: ['not_found'],
  async handle({ template_id }, { ports, caller, projectId }) {
    const { effect } = await remove(ports, caller.keyId, projectId, template_id);
    return { outcome: 'deleted' as const, effect, template: null };
  },
});
