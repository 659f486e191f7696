import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { adminApi, type Key, type MadeKey } from '../api/campaigns.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Time } from '../ui/time.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { adminKeysQuery, apiKeysQuery, campaignsKey } from './queries.ts';
import { ScopePicker, scopePresets } from './scopes.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { fromLocalTime } from './times.ts';
import { errorAt, errorBeside } from './violations.ts';

type Open =
  | { readonly kind: 'create'; readonly admin: boolean }
  | { readonly kind: 'revoke'; readonly key: Key }
  | { readonly kind: 'secret'; readonly key: MadeKey }
  | null;

export function KeysSection({ publicUrl }: { readonly publicUrl: string }) {
  const room = useProject();
  const apiKeys = useQuery(apiKeysQuery(room));
  const adminKeys = useQuery(adminKeysQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  return (
    <Section
      title="Keys"
      intro={`Programs and agents work in ${room.project.name} with an API key, over REST at /api/v1 or MCP at /mcp.`}
      action={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create', admin: false })}>
          New API key
        </Button>
      }
    >
      <Loaded query={apiKeys} what="the keys">
        {(keys) => <KeyList keys={keys} onRevoke={(key) => setOpen({ kind: 'revoke', key })} />}
      </Loaded>
      <div className="section-head">
        <div>
          <h2 className="section-sub">Admin keys</h2>
          <p className="section-intro">They do everything in every project.</p>
        </div>
        <Button icon="plus" onClick={() => setOpen({ kind: 'create', admin: true })}>
          New admin key
        </Button>
      </div>
      <Loaded query={adminKeys} what="the admin keys">
        {(keys) => <KeyList keys={keys} onRevoke={(key) => setOpen({ kind: 'revoke', key })} />}
      </Loaded>
      {open?.kind === 'create' && (
        <CreateKeyDialog
          admin={open.admin}
          onMade={(key) => setOpen({ kind: 'secret', key })}
          onClose={close}
        />
      )}
      {open?.kind === 'secret' && (
        <SecretDialog title={`Key “${open.key.name}”`} secret={open.key.secret ?? ''} onClose={close}>
          <p className="field-hint">
            REST: <code>Authorization: Bearer …</code> at <code>{publicUrl}/api/v1</code>. MCP: the same at{' '}
            <code>{publicUrl}/mcp</code>.
          </p>
        </SecretDialog>
      )}
      {open?.kind === 'revoke' && (
        <DryRunDialog
          title={`Revoke “${open.key.name}”?`}
          action="Revoke"
          run={(dryRun) =>
            open.key.kind === 'admin'
              ? adminApi.revokeAdminKey(open.key.id, dryRun)
              : room.api.keys.revoke(open.key.id, dryRun)
          }
          onClose={close}
        />
      )}
    </Section>
  );
}

interface KeyListProps {
  readonly keys: readonly Key[];
  readonly onRevoke: (key: Key) => void;
}

function KeyList({ keys, onRevoke }: KeyListProps) {
  if (keys.length === 0) return <p className="section-none">No keys yet.</p>;
  return (
    <ul className="cards">
      {keys.map((key) => (
        <li key={key.id}>
          <article className="card card-row" aria-label={key.name}>
            <Icon name="key" small />
            <div className="card-title">
              <h3>
                <bdi>{key.name}</bdi>
                <code className="key-prefix">{key.prefix}…</code>
                {key.revoked_at !== null && <Badge kind="danger">revoked</Badge>}
              </h3>
              <p className="card-meta">
                {key.kind === 'api' && <span title={key.scopes.join(' ')}>{scopeSummary(key.scopes)}</span>}
                <span>
                  {key.last_used_at === null ? (
                    'never used'
                  ) : (
                    <>
                      used <Time at={key.last_used_at} as="relative" />
                    </>
                  )}
                </span>
                {key.expires_at !== null && (
                  <span>
                    expires <Time at={key.expires_at} as="relative" />
                  </span>
                )}
              </p>
            </div>
            {key.revoked_at === null && <Button onClick={() => onRevoke(key)}>Revoke</Button>}
          </article>
        </li>
      ))}
    </ul>
  );
}

function scopeSummary(scopes: readonly string[]): string {
  return scopes.length <= 3
    ? scopes.join(', ')
    : `${scopes.slice(0, 2).join(', ')} and ${scopes.length - 2} more`;
}

interface CreateKeyProps {
  readonly admin: boolean;
  readonly onMade: (key: MadeKey) => void;
  readonly onClose: () => void;
}

function CreateKeyDialog({ admin, onMade, onClose }: CreateKeyProps) {
  const { api, project } = useProject();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(scopePresets.campaigner);
  const [expires, setExpires] = useState('');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => {
      const expiresAt = fromLocalTime(expires);
      return admin
        ? adminApi.createAdminKey({ name: name.trim(), expires_at: expiresAt })
        : api.keys.create({ name: name.trim(), scopes, expires_at: expiresAt });
    },
    onSuccess(key) {
      onMade(key);
      return client.invalidateQueries({
        queryKey: admin ? adminKeysQuery.queryKey : [campaignsKey, project.id, 'keys'],
      });
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }

  const scopeFault = errorAt(create.error, 'scopes');
  const rest = errorBeside(create.error, ['name', 'scopes', 'expires_at']);
  return (
    <Dialog
      title={admin ? 'New admin key' : `New API key for ${project.name}`}
      onClose={onClose}
      wide={!admin}
    >
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          data-starts-here
          hint="So that you know it again here."
          error={errorAt(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        {!admin && <ScopePicker scopes={scopes} onChange={setScopes} />}
        {scopeFault !== null && <FormError text={scopeFault} />}
        <Field
          label="Expires (optional)"
          type="datetime-local"
          value={expires}
          error={errorAt(create.error, 'expires_at')}
          onChange={(event) => setExpires(event.target.value)}
        />
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={create.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
