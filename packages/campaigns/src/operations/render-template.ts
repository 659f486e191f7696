import * as z from 'zod';
import { renderedSchema } from '../content/shapes.ts';
import { operation } from '../operation.ts';
import { projectIdField, templateIdSchema } from '../shapes/common.ts';
import { renderTemplate as render } from '../templates/templates.ts';

export const renderTemplate = operation({
  name: 'render_template',
  call: 'Call it to see what a template says with sample data, and whether it is right.',
  needs:
    'Needs templates:write; data is laid over the name and address of the project, and over made-up values for the rest.',
  returns: 'Returns subject, html, text and warnings. An error is template_error with line and column.',
  http: { method: 'POST', path: '/templates/:template_id/render' },
  tool: true,
  rights: { scope: 'templates:write', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    template_id: templateIdSchema,
    data: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Values by name, such as {"subscriber": {"name": "Ana", "attributes": {"city": "Lisbon"}}}'),
    strict_variables: z.boolean().default(false).describe('Whether a missing value is an error'),
  }),
  output: renderedSchema,
  errors: ['not_found', 'precondition_failed'],
  async handle({ template_id, data, strict_variables }, { ports, projectId }) {
    const rendered = await render(ports, projectId, template_id, { data, strict: strict_variables });
    return { ...rendered, headers: { Subject: rendered.subject }, warnings: [...rendered.warnings] };
  },
});
