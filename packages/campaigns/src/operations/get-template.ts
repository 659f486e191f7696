import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField, templateIdSchema } from '../shapes/common.ts';
import { templateSchema } from '../templates/shapes.ts';
import { getTemplate as get } from '../templates/templates.ts';

export const getTemplate = operation({
  name: 'get_template',
  call: 'Call it to read one template.',
  needs: 'Needs templates:read.',
  returns: 'Returns the template with its content.',
  http: { method: 'GET', path: '/templates/:template_id' },
  tool: true,
  rights: { scope: 'templates:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, template_id: templateIdSchema }),
  output: templateSchema,
  errors: ['not_found'],
  handle: ({ template_id }, { ports, projectId }) => get(ports, projectId, template_id),
});
