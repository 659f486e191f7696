import * as z from 'zod';
import { operation } from '../operation.ts';
import { projectIdField } from '../shapes/common.ts';
import { templateInput, templateSchema } from '../templates/shapes.ts';
import { createTemplate as create } from '../templates/templates.ts';

export const createTemplate = operation({
  name: 'create_template',
  call: 'Call it to keep a subject and a body that campaigns and single e-mails can be written from.',
  needs: 'Needs templates:write; html or mjml, not both.',
  returns: 'Returns the template. Errors in its Liquid or MJML are told by render_template.',
  http: { method: 'POST', path: '/templates', status: 201 },
  tool: true,
  rights: { scope: 'templates:write', project: 'context' },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: z.strictObject({
    ...projectIdField,
    name: templateInput.name,
    subject: templateInput.subject.nullable().default(null),
    html: templateInput.html.nullable().default(null),
    mjml: templateInput.mjml.nullable().default(null),
    text: templateInput.text.nullable().default(null),
  }),
  output: templateSchema,
  errors: [],
  handle: (input, { ports, caller, projectId }) => create(ports, caller.keyId, projectId, input),
});
