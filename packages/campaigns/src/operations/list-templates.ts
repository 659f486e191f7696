import * as z from 'zod';
import { operation } from '../operation.ts';
import { pageFields, pageSchema } from '../paging.ts';
import { projectIdField } from '../shapes/common.ts';
import { templateSchema } from '../templates/shapes.ts';
import { pageOfTemplates } from '../templates/templates.ts';

export const listTemplates = operation({
  name: 'list_templates',
  call: 'Call it to see which templates a project has.',
  needs: 'Needs templates:read.',
  returns: 'Returns a page of templates with their content, oldest first.',
  http: { method: 'GET', path: '/templates' },
  tool: true,
  rights: { scope: 'templates:read', project: 'context' },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ ...projectIdField, ...pageFields('tpl') }),
  output: pageSchema(templateSchema),
  errors: [],
  async handle(input, { ports, projectId }) {
    const { rows, next_cursor } = await pageOfTemplates(ports, projectId, input);
    return { data: rows, next_cursor };
  },
});
