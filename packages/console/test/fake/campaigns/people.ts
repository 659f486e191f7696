import type { Condition, Key, MailList, Subscriber } from '../../../src/api/campaigns.ts';
import { type FakeRoute, noContent, ok, Refusal, route } from '../http.ts';
import {
  addressFault,
  type FakeCampaignsDesk,
  found,
  invalid,
  isAddress,
  isDryRun,
  made,
  nowText,
  pageFields,
  pageOf,
  projectOf,
  replace,
  requireName,
  setCounts,
  unready,
  within,
} from './state.ts';

/** Projects, lists, subscribers, segments, suppressions and keys. */
export function peopleRoutes(desk: FakeCampaignsDesk): readonly FakeRoute[] {
  const { state, newId } = desk;

  const projects: readonly FakeRoute[] = [
    route('GET', '/api/v1/projects', { query: ['limit', 'cursor'] }, (request) =>
      pageOf(
        state.projects.filter(({ deleted_at }) => deleted_at === null),
        request,
      ),
    ),
    route('POST', '/api/v1/projects', { body: ['name', 'slug', 'sender_address'] }, ({ body }) => {
      requireName(body);
      const slug = String(body.slug);
      if (!/^[a-z0-9-]{2,63}$/.test(slug)) {
        throw invalid([
          {
            field: 'slug',
            code: 'invalid_format',
            message: 'must be 2 to 63 lower-case letters, digits and hyphens',
          },
        ]);
      }
      if (state.projects.some((one) => one.slug === slug && one.deleted_at === null)) {
        throw new Refusal(409, 'conflict', `The slug ${slug} is taken.`);
      }
      const project = {
        ...made(newId('prj')),
        name: requireName(body),
        slug,
        sender_address: (body.sender_address as string | null) ?? null,
        deleted_at: null,
      };
      state.projects.push(project);
      return ok(project, 201);
    }),
    route('PATCH', '/api/v1/projects/:id', { body: ['name', 'slug', 'sender_address'] }, ({ body }, [id]) => {
      const project = found(
        state.projects.find((one) => one.id === id),
        'There is no such project.',
      );
      return ok(replace(state.projects, { ...project, ...body, updated_at: nowText() }));
    }),
    route('DELETE', '/api/v1/projects/:id', { query: ['dry_run'] }, (request, [id]) => {
      const project = found(
        state.projects.find((one) => one.id === id),
        'There is no such project.',
      );
      const lists = state.lists.filter((list) => list.project_id === id).length;
      if (isDryRun(request)) {
        const effect = `Would delete "${project.name}" with ${lists} lists.`;
        return ok({ outcome: 'would_delete', effect, project });
      }
      const deleted = replace(state.projects, { ...project, deleted_at: nowText() });
      return ok({
        outcome: 'deleted',
        effect: `Deleted "${project.name}" with ${lists} lists.`,
        project: deleted,
      });
    }),
  ];

  const listFields = ['project_id', 'name', 'description', 'opt_in', 'from', 'public'];
  const fromFaults = (from: unknown) =>
    from === null || from === undefined ? [] : addressFault('from.email', (from as { email: unknown }).email);

  const lists: readonly FakeRoute[] = [
    route('GET', '/api/v1/lists', { query: pageFields }, (request) => {
      const project = projectOf(desk, request);
      return pageOf(
        state.lists.filter((list) => list.project_id === project.id && list.deleted_at === null),
        request,
      );
    }),
    route('POST', '/api/v1/lists', { body: listFields }, (request) => {
      const project = projectOf(desk, request);
      const { body } = request;
      const name = requireName(body);
      const faults = fromFaults(body.from);
      if (faults.length > 0) throw invalid(faults);
      const list: MailList = {
        ...made(newId('lst')),
        project_id: project.id,
        name,
        description: (body.description as string | null) ?? null,
        opt_in: body.opt_in === 'double' ? 'double' : 'single',
        from: (body.from as MailList['from']) ?? null,
        public: body.public === true,
        counts: { subscribed: 0, unconfirmed: 0, unsubscribed: 0, bounced: 0, complained: 0 },
        deleted_at: null,
      };
      state.lists.push(list);
      return ok(list, 201);
    }),
    route('GET', '/api/v1/lists/:id', { query: ['project_id'] }, (request, [id]) =>
      ok(within(state.lists, projectOf(desk, request), id)),
    ),
    route('PATCH', '/api/v1/lists/:id', { body: listFields }, (request, [id]) => {
      const list = within(state.lists, projectOf(desk, request), id);
      const { project_id: _, ...changes } = request.body;
      const faults = fromFaults(changes.from);
      if (faults.length > 0) throw invalid(faults);
      return ok(replace(state.lists, { ...list, ...changes, updated_at: nowText() }));
    }),
    route('DELETE', '/api/v1/lists/:id', { query: ['project_id', 'dry_run'] }, (request, [id]) => {
      const list = within(state.lists, projectOf(desk, request), id);
      const running = state.campaigns.find(
        (one) => one.list_ids.includes(list.id) && ['running', 'paused'].includes(one.state),
      );
      if (running !== undefined) {
        throw unready([{ field: 'list_id', code: 'in_use', message: `is mailed by "${running.name}"` }]);
      }
      const words = `"${list.name}" with ${state.subscribers.filter((one) => one.list_id === id).length} subscribers`;
      if (isDryRun(request)) {
        return ok({ outcome: 'would_delete', effect: `Would delete ${words}.`, list });
      }
      const deleted = replace(state.lists, { ...list, deleted_at: nowText() });
      return ok({ outcome: 'deleted', effect: `Deleted ${words}.`, list: deleted });
    }),
  ];

  function isSuppressed(projectId: string, email: string): boolean {
    return state.suppressions.some((one) => one.project_id === projectId && one.email === email);
  }

  function put(list: MailList, fields: Readonly<Record<string, unknown>>, source: string) {
    const email = String(fields.email);
    const known = state.subscribers.find(
      (one) => one.list_id === list.id && one.email?.toLowerCase() === email.toLowerCase(),
    );
    const attributes = Object.fromEntries(
      Object.entries({ ...known?.attributes, ...(fields.attributes as object) }).filter(
        ([, value]) => value !== null,
      ),
    );
    const name = (fields.name as string | undefined) ?? known?.name ?? null;
    if (known !== undefined) {
      const isSame = known.name === name && JSON.stringify(known.attributes) === JSON.stringify(attributes);
      if (!isSame) replace(state.subscribers, { ...known, name, attributes, updated_at: nowText() });
      return { outcome: isSame ? ('unchanged' as const) : ('updated' as const), id: known.id };
    }
    const subscriber: Subscriber = {
      ...made(newId('sub')),
      project_id: list.project_id,
      list_id: list.id,
      email,
      name,
      attributes,
      status: list.opt_in === 'double' && source === 'api' ? 'unconfirmed' : 'subscribed',
      consent: { source, at: nowText(), evidence: (fields.evidence as string) ?? null },
    };
    state.subscribers.push(subscriber);
    return { outcome: 'created' as const, id: subscriber.id };
  }

  const subscriberById = (id: string | undefined) =>
    found(
      state.subscribers.find((one) => one.id === id),
      'There is no such subscriber.',
    );

  const subscribers: readonly FakeRoute[] = [
    route(
      'GET',
      '/api/v1/lists/:id/subscribers',
      { query: [...pageFields, 'status', 'email', 'name', 'search'] },
      (request, [id]) => {
        const list = within(state.lists, projectOf(desk, request), id);
        const { query } = request;
        const [status, email, name, search] = ['status', 'email', 'name', 'search'].map((field) =>
          query.get(field)?.toLowerCase(),
        );
        return pageOf(
          state.subscribers.filter(
            (one) =>
              one.list_id === list.id &&
              (status == null ? one.status !== 'erased' : one.status === status) &&
              (email == null || one.email?.toLowerCase().includes(email)) &&
              (name == null || one.name?.toLowerCase().includes(name)) &&
              (search == null || [one.email, one.name].some((text) => text?.toLowerCase().includes(search))),
          ),
          request,
        );
      },
    ),
    route(
      'GET',
      '/api/v1/lists/:id/subscribers/find',
      { query: ['project_id', 'email'] },
      (request, [id]) => {
        const list = within(state.lists, projectOf(desk, request), id);
        const email = request.query.get('email')?.toLowerCase();
        return ok(
          found(
            state.subscribers.find((one) => one.list_id === list.id && one.email?.toLowerCase() === email),
            `${email} is not on the list.`,
          ),
        );
      },
    ),
    route(
      'POST',
      '/api/v1/lists/:id/subscribers',
      { body: ['project_id', 'email', 'name', 'attributes', 'resubscribe', 'evidence'] },
      (request, [id]) => {
        const project = projectOf(desk, request);
        const list = within(state.lists, project, id);
        const faults = addressFault('email', request.body.email);
        if (faults.length > 0) throw invalid(faults);
        if (isSuppressed(project.id, String(request.body.email))) {
          throw unready([
            { field: 'email', code: 'invalid_state', message: 'is suppressed in this project' },
          ]);
        }
        const { outcome, id: made } = put(list, request.body, 'api');
        setCounts(desk, list.id);
        return ok(subscriberById(made), outcome === 'created' ? 201 : 200);
      },
    ),
    route(
      'POST',
      '/api/v1/lists/:id/subscribers/import',
      { body: ['project_id', 'records', 'resubscribe', 'evidence'] },
      (request, [id]) => {
        const project = projectOf(desk, request);
        const list = within(state.lists, project, id);
        const records = request.body.records as readonly Readonly<Record<string, unknown>>[];
        const seen = new Set<string>();
        const sums = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
        const results = records.map((record, index) => {
          const email = String(record.email);
          const reason = !isAddress(email)
            ? 'invalid_email'
            : seen.has(email.toLowerCase())
              ? 'duplicate'
              : isSuppressed(project.id, email)
                ? 'suppressed'
                : null;
          seen.add(email.toLowerCase());
          const done = reason === null ? put(list, record, 'import') : null;
          const outcome = done?.outcome ?? 'skipped';
          sums[outcome] += 1;
          return { index, outcome, reason, subscriber_id: done?.id ?? null };
        });
        setCounts(desk, list.id);
        return ok({ ...sums, results });
      },
    ),
    route('GET', '/api/v1/subscribers/:id', { query: ['project_id'] }, (request, [id]) => {
      projectOf(desk, request);
      return ok(subscriberById(id));
    }),
    route(
      'PATCH',
      '/api/v1/subscribers/:id',
      { body: ['project_id', 'name', 'attributes'] },
      (request, [id]) => {
        projectOf(desk, request);
        const before = subscriberById(id);
        const attributes = Object.fromEntries(
          Object.entries({ ...before.attributes, ...(request.body.attributes as object) }).filter(
            ([, value]) => value !== null,
          ),
        );
        const name = request.body.name === undefined ? before.name : (request.body.name as string | null);
        return ok(replace(state.subscribers, { ...before, name, attributes, updated_at: nowText() }));
      },
    ),
    route(
      'POST',
      '/api/v1/subscribers/:id/unsubscribe',
      { body: ['project_id', 'reason'] },
      (request, [id]) => {
        projectOf(desk, request);
        const changed = { ...subscriberById(id), status: 'unsubscribed' as const, updated_at: nowText() };
        replace(state.subscribers, changed);
        setCounts(desk, changed.list_id);
        return ok(changed);
      },
    ),
    route('DELETE', '/api/v1/subscribers/:id', { query: ['project_id', 'dry_run'] }, (request, [id]) => {
      projectOf(desk, request);
      const subscriber = subscriberById(id);
      if (isDryRun(request)) {
        const effect = `Would erase ${subscriber.email} from 1 list; the address stays suppressed.`;
        return ok({ outcome: 'would_erase', effect, subscriber });
      }
      const erased = {
        ...subscriber,
        email: null,
        name: null,
        attributes: null,
        consent: null,
        status: 'erased' as const,
      };
      replace(state.subscribers, erased);
      setCounts(desk, erased.list_id);
      return ok({ outcome: 'erased', effect: 'Erased from 1 list.', subscriber: erased });
    }),
  ];

  /** As much of the conditions as the tests of the page need. */
  function matches(subscriber: Subscriber, condition: Condition): boolean {
    if ('all' in condition) return condition.all.every((one) => matches(subscriber, one));
    if ('any' in condition) return condition.any.some((one) => matches(subscriber, one));
    if ('not' in condition) return !matches(subscriber, condition.not);
    const { field, op, value } = condition;
    const held = field.startsWith('attributes.')
      ? subscriber.attributes?.[field.slice('attributes.'.length)]
      : subscriber[field as 'email'];
    switch (op) {
      case 'eq':
        return held === value;
      case 'contains':
        return String(held ?? '').includes(String(value));
      case 'before':
        return String(held) < String(value);
      case 'exists':
        return (held != null) === value;
      default:
        throw invalid([{ field: 'condition.op', code: 'not_allowed', message: `must fit ${field}` }]);
    }
  }

  const segments: readonly FakeRoute[] = [
    ...plain('segments', 'seg', ['name', 'condition']),
    route('POST', '/api/v1/segments/count', { body: ['project_id', 'condition', 'list_ids'] }, (request) => {
      const project = projectOf(desk, request);
      const listIds = request.body.list_ids as readonly string[] | undefined;
      const count = state.subscribers.filter(
        (one) =>
          one.project_id === project.id &&
          (listIds === undefined || listIds.includes(one.list_id)) &&
          matches(one, request.body.condition as Condition),
      ).length;
      return ok({ count });
    }),
  ];

  /** What is made, listed, read, changed and deleted without further ado. */
  function plain(area: 'segments' | 'templates', prefix: string, fields: readonly string[]): FakeRoute[] {
    const things = state[area] as { id: string; project_id: string }[];
    const body = ['project_id', ...fields];
    return [
      route('GET', `/api/v1/${area}`, { query: pageFields }, (request) => {
        const project = projectOf(desk, request);
        return pageOf(
          things.filter((one) => one.project_id === project.id),
          request,
        );
      }),
      route('POST', `/api/v1/${area}`, { body }, (request) => {
        const project = projectOf(desk, request);
        requireName(request.body);
        const empty = Object.fromEntries(fields.map((field) => [field, null]));
        const thing = { ...empty, ...request.body, ...made(newId(prefix)), project_id: project.id };
        things.push(thing);
        return ok(thing, 201);
      }),
      route('GET', `/api/v1/${area}/:id`, { query: ['project_id'] }, (request, [id]) =>
        ok(within(things, projectOf(desk, request), id)),
      ),
      route('PATCH', `/api/v1/${area}/:id`, { body }, (request, [id]) => {
        const thing = within(things, projectOf(desk, request), id);
        return ok(replace(things, { ...thing, ...request.body, updated_at: nowText() } as typeof thing));
      }),
      route('DELETE', `/api/v1/${area}/:id`, { query: ['project_id'] }, (request, [id]) => {
        const thing = within(things, projectOf(desk, request), id);
        things.splice(things.indexOf(thing), 1);
        return noContent;
      }),
    ];
  }

  const suppressions: readonly FakeRoute[] = [
    route('GET', '/api/v1/suppressions', { query: [...pageFields, 'reason', 'email'] }, (request) => {
      const project = projectOf(desk, request);
      const [reason, email] = ['reason', 'email'].map((field) => request.query.get(field));
      return pageOf(
        state.suppressions.filter(
          (one) =>
            one.project_id === project.id &&
            (reason == null || one.reason === reason) &&
            (email == null || one.email === email),
        ),
        request,
      );
    }),
    route(
      'POST',
      '/api/v1/suppressions',
      { query: ['dry_run'], body: ['project_id', 'email', 'note'] },
      (request) => {
        const project = projectOf(desk, request);
        const faults = addressFault('email', request.body.email);
        if (faults.length > 0) throw invalid(faults);
        const email = String(request.body.email);
        const on = state.subscribers.filter((one) => one.email === email).length;
        if (isDryRun(request)) {
          const effect = `Would keep ${email}, who is on ${on} lists, from every mail of this project.`;
          return ok({ outcome: 'would_add', effect, suppression: null });
        }
        const suppression = {
          ...made(newId('sup')),
          project_id: project.id,
          email,
          reason: 'manual' as const,
          source: 'api',
          note: (request.body.note as string) ?? null,
        };
        state.suppressions.push(suppression);
        return ok({ outcome: 'added', effect: `${email} gets no more mail.`, suppression });
      },
    ),
    route('DELETE', '/api/v1/suppressions/:id', { query: ['project_id', 'dry_run'] }, (request, [id]) => {
      const suppression = within(state.suppressions, projectOf(desk, request), id);
      if (isDryRun(request)) {
        const effect = `Would let mail to ${suppression.email} through; no list status is restored.`;
        return ok({ outcome: 'would_remove', effect, suppression });
      }
      state.suppressions = state.suppressions.filter((one) => one !== suppression);
      return ok({ outcome: 'removed', effect: `${suppression.email} may be mailed.`, suppression });
    }),
  ];

  function makeKey(fields: Pick<Key, 'kind' | 'project_id' | 'name' | 'scopes' | 'expires_at'>): Key {
    const key: Key = {
      id: newId('key'),
      prefix: 'pst_9fK2',
      rate_per_minute: null,
      created_at: nowText(),
      last_used_at: null,
      revoked_at: null,
      ...fields,
    };
    state.keys.push(key);
    return key;
  }

  function revoke(key: Key, dryRun: boolean) {
    const left = state.keys.filter((one) => one.kind === 'admin' && one.revoked_at === null);
    if (key.kind === 'admin' && left.length === 1) {
      throw unready([
        { field: 'key_id', code: 'last_admin_key', message: 'is the last admin key; make another first' },
      ]);
    }
    if (dryRun) return ok({ outcome: 'would_revoke', effect: `Would revoke "${key.name}".`, key });
    const revoked = replace(state.keys, { ...key, revoked_at: nowText() });
    return ok({ outcome: 'revoked', effect: `Revoked "${key.name}".`, key: revoked });
  }

  const secret = 'pst_9fK2mV7sQeXw4ZpLtB8yRcNd3HjUa6Gi';
  const expiry = (body: Readonly<Record<string, unknown>>) => (body.expires_at as string | null) ?? null;

  const keys: readonly FakeRoute[] = [
    route('GET', '/api/v1/api-keys', { query: pageFields }, (request) => {
      const project = projectOf(desk, request);
      return pageOf(
        state.keys.filter((key) => key.project_id === project.id),
        request,
      );
    }),
    route('POST', '/api/v1/api-keys', { body: ['project_id', 'name', 'scopes', 'expires_at'] }, (request) => {
      const { body } = request;
      const project = projectOf(desk, request);
      const scopes = body.scopes as readonly string[];
      if (scopes.length === 0) {
        throw invalid([{ field: 'scopes', code: 'too_short', message: 'must have at least 1 item' }]);
      }
      const key = makeKey({
        kind: 'api',
        project_id: project.id,
        name: requireName(body),
        scopes,
        expires_at: expiry(body),
      });
      return ok({ ...key, secret }, 201);
    }),
    route('DELETE', '/api/v1/api-keys/:id', { query: ['project_id', 'dry_run'] }, (request, [id]) => {
      projectOf(desk, request);
      return revoke(
        found(
          state.keys.find((key) => key.id === id),
          'There is no such key.',
        ),
        isDryRun(request),
      );
    }),
    route('GET', '/api/v1/admin-keys', { query: ['limit', 'cursor'] }, (request) =>
      pageOf(
        state.keys.filter((key) => key.kind === 'admin'),
        request,
      ),
    ),
    route('POST', '/api/v1/admin-keys', { body: ['name', 'expires_at'] }, ({ body }) => {
      const name = requireName(body);
      const key = makeKey({ kind: 'admin', project_id: null, name, scopes: [], expires_at: expiry(body) });
      return ok({ ...key, secret }, 201);
    }),
    route('DELETE', '/api/v1/admin-keys/:id', { query: ['dry_run'] }, (request, [id]) =>
      revoke(
        found(
          state.keys.find((key) => key.id === id),
          'There is no such key.',
        ),
        isDryRun(request),
      ),
    ),
  ];

  const templates = plain('templates', 'tpl', ['name', 'subject', 'html', 'mjml', 'text']);
  return [...projects, ...lists, ...subscribers, ...segments, ...templates, ...suppressions, ...keys];
}
