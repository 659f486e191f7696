import { readdirSync } from 'node:fs';
import { inputJsonSchema, type JsonSchema, outputJsonSchema } from '@postern/kit';
import { describe, expect, test } from 'vitest';
import { campaignsOperations } from '../src/operations/index.ts';
import { examples } from '../src/testing/index.ts';

/** What the contract says of every operation, whatever it does (sections 1, 2, 7 and 8; the seed's tool rules). */

/** Contract, section 7: name, route, and the scope that section 1 gives it. */
const contract = parse(`
  get_server_info         GET    /server                                             none
  whoami                  GET    /whoami                                             none
  create_project          POST   /projects                                           admin
  list_projects           GET    /projects                                           projects:read
  get_project             GET    /projects/:project_id                               projects:read
  update_project          PATCH  /projects/:project_id                               admin
  delete_project          DELETE /projects/:project_id                               admin
  create_api_key          POST   /api-keys                                           keys:write
  list_api_keys           GET    /api-keys                                           keys:read
  revoke_api_key          DELETE /api-keys/:key_id                                   keys:write
  create_admin_key        POST   /admin-keys                                         admin
  list_admin_keys         GET    /admin-keys                                         admin
  revoke_admin_key        DELETE /admin-keys/:key_id                                 admin
  create_list             POST   /lists                                              lists:write
  list_lists              GET    /lists                                              lists:read
  get_list                GET    /lists/:list_id                                     lists:read
  update_list             PATCH  /lists/:list_id                                     lists:write
  delete_list             DELETE /lists/:list_id                                     lists:write
  add_subscriber          POST   /lists/:list_id/subscribers                         subscribers:write
  import_subscribers      POST   /lists/:list_id/subscribers/import                  subscribers:write
  list_subscribers        GET    /lists/:list_id/subscribers                         subscribers:read
  find_subscriber         GET    /lists/:list_id/subscribers/find                    subscribers:read
  get_subscriber          GET    /subscribers/:subscriber_id                         subscribers:read
  update_subscriber       PATCH  /subscribers/:subscriber_id                         subscribers:write
  unsubscribe_subscriber  POST   /subscribers/:subscriber_id/unsubscribe             subscribers:write
  erase_subscriber        DELETE /subscribers/:subscriber_id                         subscribers:write
  create_segment          POST   /segments                                           segments:write
  list_segments           GET    /segments                                           segments:read
  get_segment             GET    /segments/:segment_id                               segments:read
  update_segment          PATCH  /segments/:segment_id                               segments:write
  delete_segment          DELETE /segments/:segment_id                               segments:write
  count_segment           POST   /segments/count                                     segments:write
  create_template         POST   /templates                                          templates:write
  list_templates          GET    /templates                                          templates:read
  get_template            GET    /templates/:template_id                             templates:read
  update_template         PATCH  /templates/:template_id                             templates:write
  delete_template         DELETE /templates/:template_id                             templates:write
  render_template         POST   /templates/:template_id/render                      templates:write
  create_campaign         POST   /campaigns                                          campaigns:write
  list_campaigns          GET    /campaigns                                          campaigns:read
  get_campaign            GET    /campaigns/:campaign_id                             campaigns:read
  update_campaign         PATCH  /campaigns/:campaign_id                             campaigns:write
  duplicate_campaign      POST   /campaigns/:campaign_id/duplicate                   campaigns:write
  delete_campaign         DELETE /campaigns/:campaign_id                             campaigns:write
  preview_campaign        POST   /campaigns/:campaign_id/preview                     campaigns:write
  send_test_campaign      POST   /campaigns/:campaign_id/test                        campaigns:launch
  launch_campaign         POST   /campaigns/:campaign_id/launch                      campaigns:launch
  pause_campaign          POST   /campaigns/:campaign_id/pause                       campaigns:launch
  cancel_campaign         POST   /campaigns/:campaign_id/cancel                      campaigns:launch
  get_campaign_report     GET    /campaigns/:campaign_id/report                      reports:read
  list_campaign_deliveries GET   /campaigns/:campaign_id/deliveries                  reports:read
  create_sending_domain   POST   /sending-domains                                    domains:write
  list_sending_domains    GET    /sending-domains                                    domains:read
  get_sending_domain      GET    /sending-domains/:domain_id                         domains:read
  verify_sending_domain   POST   /sending-domains/:domain_id/verify                  domains:write
  delete_sending_domain   DELETE /sending-domains/:domain_id                         domains:write
  list_suppressions       GET    /suppressions                                       suppressions:read
  get_suppression         GET    /suppressions/:suppression_id                       suppressions:read
  add_suppression         POST   /suppressions                                       suppressions:write
  remove_suppression      DELETE /suppressions/:suppression_id                       suppressions:write
  send_email              POST   /emails                                             emails:write
  get_email               GET    /emails/:email_id                                   emails:read
  list_emails             GET    /emails                                             emails:read
  create_webhook          POST   /webhooks                                           webhooks:write
  list_webhooks           GET    /webhooks                                           webhooks:read
  get_webhook             GET    /webhooks/:webhook_id                               webhooks:read
  update_webhook          PATCH  /webhooks/:webhook_id                               webhooks:write
  delete_webhook          DELETE /webhooks/:webhook_id                               webhooks:write
  list_webhook_deliveries GET    /webhooks/:webhook_id/deliveries                    webhooks:read
  redeliver_webhook       POST   /webhooks/:webhook_id/deliveries/:delivery_id/redeliver webhooks:write
`);

function parse(table: string) {
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/ +/) as [string, string, string, string]);
  return new Map(rows.map(([name, method, path, scope]) => [name, { route: `${method} ${path}`, scope }]));
}

/** The seed's table: the ten that take `confirm`, and what they answer. */
const confirmed = new Map([
  ['launch_campaign', ['would_launch', 'would_resume', 'launched', 'failed']],
  ['cancel_campaign', ['would_cancel', 'cancelled', 'already_cancelled']],
  ['revoke_api_key', ['would_revoke', 'revoked', 'already_revoked']],
  ['revoke_admin_key', ['would_revoke', 'revoked', 'already_revoked']],
  ['delete_project', ['would_delete', 'deleted', 'already_deleted']],
  ['delete_list', ['would_delete', 'deleted', 'already_deleted']],
  ['delete_sending_domain', ['would_delete', 'deleted']],
  ['erase_subscriber', ['would_erase', 'erased']],
  ['add_suppression', ['would_add', 'added', 'already_suppressed']],
  ['remove_suppression', ['would_remove', 'removed']],
]);

const files = readdirSync(new URL('../src/operations/', import.meta.url));

/** Outside of any project (contract, section 1). */
const exempt = /^(get_server_info|whoami|.*_admin_keys?|.*_projects?)$/;

describe('the contract', () => {
  test('knows every operation there is, and every one it knows is there', () => {
    const names = campaignsOperations.map(({ name }) => name);
    expect(names.toSorted()).toEqual([...contract.keys()].toSorted());
  });
});

describe.each(campaignsOperations.map((operation) => [operation.name, operation] as const))(
  '%s',
  (name, operation) => {
    const input = inputJsonSchema(operation.input);
    const properties = (input.properties ?? {}) as Record<string, JsonSchema>;
    const required = (input.required ?? []) as string[];

    test('has its route, its scope and is a tool', () => {
      const { method, path } = operation.http;
      expect({ route: `${method} ${path}`, scope: operation.rights.scope }).toEqual(contract.get(name));
      expect(operation.tool).toBe(true);
      expect(files).toContain(`${name.replaceAll('_', '-')}.ts`);
    });

    test('says in three lines when to call it, what it needs and what comes back', () => {
      expect(operation.call).toMatch(/^Call it .+\.$/);
      expect(operation.needs).toMatch(/^Needs .+\.$/);
      expect(operation.returns).toMatch(/^Returns .+\.$/);
      const { scope } = operation.rights;
      if (scope === 'admin') expect(operation.needs).toContain('admin key');
      else if (scope !== 'none') expect(operation.needs).toContain(scope);
    });

    test('hints at what it does', () => {
      const { readOnly, destructive } = operation.annotations;
      const isRead = operation.http.method === 'GET';
      const isPure = ['count_segment', 'render_template', 'preview_campaign'].includes(name);
      expect(readOnly).toBe(isRead || isPure);
      if (readOnly) expect(operation.annotations).toMatchObject({ destructive: false, idempotent: true });
      if (operation.http.method === 'DELETE' || confirmed.has(name)) expect(destructive).toBe(true);
    });

    test('is strict in what it takes and complete in what it answers', () => {
      expect(input.additionalProperties).toBe(false);
      if (operation.toolInput) expect(inputJsonSchema(operation.toolInput).additionalProperties).toBe(false);
      for (const [path, schema] of objectsIn(outputJsonSchema(operation.output))) {
        const names = Object.keys((schema.properties ?? {}) as object);
        expect({ path, required: [...((schema.required ?? []) as string[])].sort() }).toEqual({
          path,
          required: names.sort(),
        });
      }
    });

    test('keeps to the rule of project context', () => {
      expect(operation.rights.project).toBe(exempt.test(name) ? 'none' : 'context');
      if (operation.rights.project === 'none') return;
      expect(properties).toHaveProperty('project_id');
      expect(required).not.toContain('project_id');
      expect(operation.http.path).not.toContain('project_id');
    });

    test('asks for confirmation if, and only if, it is one of the ten', () => {
      const outcomes = confirmed.get(name);
      const tool = inputJsonSchema(operation.toolInput ?? operation.input);
      const confirm = (tool.properties as Record<string, JsonSchema>).confirm;
      expect(properties).not.toHaveProperty('confirm');
      expect(Object.keys(operation.restOnly?.shape ?? {})).toEqual(outcomes ? ['dry_run'] : []);
      if (!outcomes) {
        expect(confirm).toBeUndefined();
        return;
      }
      expect(confirm).toMatchObject({ type: 'boolean', default: false });
      const output = outputJsonSchema(operation.output).properties as Record<string, JsonSchema>;
      expect(output.outcome?.enum).toEqual(outcomes);
      expect(Object.keys(output)).toEqual(['outcome', 'effect', expect.any(String)]);
      expect(operation.http.status ?? 200).toBe(200);
    });

    test('answers 204 when it deletes without being one of the ten, and the tool says what happened', () => {
      if (operation.http.method !== 'DELETE' || confirmed.has(name)) return;
      expect(operation.http.status).toBe(204);
      const output = outputJsonSchema(operation.output).properties as Record<string, JsonSchema>;
      expect(Object.keys(output)).toEqual(['outcome', 'effect', expect.any(String)]);
    });

    test('pages what it lists', () => {
      if (!name.startsWith('list_')) return;
      expect(properties.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100, default: 50 });
      expect(properties.cursor).toMatchObject({ type: 'string' });
      const output = outputJsonSchema(operation.output).properties as Record<string, JsonSchema>;
      expect(Object.keys(output)).toEqual(['data', 'next_cursor']);
    });

    test('names the codes it gives', () => {
      if (operation.http.path.includes('/:')) expect(operation.errors).toContain('not_found');
      expect(new Set(operation.errors).size).toBe(operation.errors.length);
    });

    test('has an example in src/testing/examples', () => {
      expect(Object.hasOwn(examples, name)).toBe(true);
    });
  },
);

test('every example is of an operation', () => {
  const names = new Set(campaignsOperations.map(({ name }) => name));
  expect(Object.keys(examples).filter((name) => !names.has(name))).toEqual([]);
});

/** Every closed object in a schema, with the path to it. */
function* objectsIn(schema: unknown, path = '$'): Generator<[string, JsonSchema]> {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as JsonSchema;
  if (!Array.isArray(schema) && node.type === 'object' && node.properties !== undefined) yield [path, node];
  for (const [key, inner] of Object.entries(schema)) yield* objectsIn(inner, `${path}.${key}`);
}
