import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, templateIdSchema } from '../shapes/common.ts';
import { templateInput, templateSchema } from '../templates/shapes.ts';
import { updateTemplate as update } from '../templates/templates.ts';

export const updateTemplate = operation({
  name: 'update_template',
  call: 'Call it to change a template; what you leave out stays, null clears.',
  needs: 'Needs templates:write; to go from html to mjml, send html: null with it.',
  returns: 'Returns the template after the change. Campaigns that were launched keep what they had.',
  http: { method: 'PATCH', path: '/templates/:template_id' },
  tool: true,
  rights: { scope: 'templates:write', project: 'context' },
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    template_id: templateIdSchema,
    name: templateInput.name.optional(),
    subject: templateInput.subject.nullable().optional(),
    html: templateInput.html.nullable().optional(),
    mjml: templateInput.mjml.nullable().optional(),
    text: templateInput.text.nullable().optional(),
  }),
  output: templateSchema,
  errors: ['not_found'],
  handle: ({ template_id, project_id: _, ...patch }, { ports, caller, projectId }) =>
    update(ports, caller.keyId, projectId, template_id, patch),
});
