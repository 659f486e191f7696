import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { errorText } from '../api/http.ts';
import { type AgentToken, type CreatedToken, inboxApi, type Scope } from '../api/inbox.ts';
import type { Session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { ConfirmDialog, Dialog, FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useToast } from '../ui/toast.tsx';
import { tokensQuery } from './queries.ts';
import { snippetsFor } from './snippets.ts';

const AGENT_ID_PATTERN = /^[A-Za-z0-9._-]{1,64}$/;

interface CreateTokenProps {
  readonly session: Session;
  readonly agentIds: readonly string[];
  readonly onClose: () => void;
}

export function CreateTokenDialog({ session, agentIds, onClose }: CreateTokenProps) {
  const [created, setCreated] = useState<CreatedToken | null>(null);
  if (created !== null) return <SecretDialog created={created} session={session} onClose={onClose} />;
  return <TokenForm agentIds={agentIds} onCreated={setCreated} onClose={onClose} />;
}

interface TokenFormProps {
  readonly agentIds: readonly string[];
  readonly onCreated: (token: CreatedToken) => void;
  readonly onClose: () => void;
}

function TokenForm({ agentIds, onCreated, onClose }: TokenFormProps) {
  const [agentId, setAgentId] = useState('');
  const [name, setName] = useState('');
  const [read, setRead] = useState(true);
  const [send, setSend] = useState(true);
  const [checked, setChecked] = useState(false);
  const knownAgents = useId();
  const client = useQueryClient();
  const scopes: Scope[] = [...(read ? (['read'] as const) : []), ...(send ? (['send'] as const) : [])];

  const create = useMutation({
    mutationFn: () =>
      inboxApi.createToken({ agent_id: agentId, scopes, ...(name.trim() !== '' && { name: name.trim() }) }),
    onSuccess(token) {
      onCreated(token);
      return client.invalidateQueries(tokensQuery);
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setChecked(true);
    if (AGENT_ID_PATTERN.test(agentId) && scopes.length > 0) create.mutate();
  }

  return (
    <Dialog title="New token" onClose={onClose}>
      <form onSubmit={submit} className="form" noValidate>
        <Field
          label="Agent"
          value={agentId}
          list={knownAgents}
          maxLength={64}
          spellCheck={false}
          autoCapitalize="none"
          data-starts-here
          error={
            checked && !AGENT_ID_PATTERN.test(agentId)
              ? 'Use 1 to 64 letters, digits, dots, dashes or underscores.'
              : null
          }
          hint="The id this token speaks as, such as “claude” or “support-bot”. Read marks belong to it."
          onChange={(event) => setAgentId(event.target.value)}
        />
        <datalist id={knownAgents}>
          {agentIds.map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <Field
          label="Name (optional)"
          value={name}
          hint="So that you know it again here: “laptop”, “CI”."
          onChange={(event) => setName(event.target.value)}
        />
        <fieldset className="choice">
          <legend>It may</legend>
          <Check label="Read messages and mark them read" checked={read} onChange={setRead} />
          <Check label="Send messages and show that it types" checked={send} onChange={setSend} />
        </fieldset>
        {checked && scopes.length === 0 && <FormError text="Choose at least one of the two." />}
        {create.isError && <FormError text={errorText(create.error)} />}
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

interface SecretDialogProps {
  readonly created: CreatedToken;
  readonly session: Session;
  readonly onClose: () => void;
}

function SecretDialog({ created, session, onClose }: SecretDialogProps) {
  const snippets = snippetsFor({
    publicUrl: session.public_url,
    command: session.inbox_command,
    agentId: created.agent_id,
    token: created.token,
  });
  return (
    <Dialog title={`Token for ${created.agent_id}`} onClose={onClose} wide>
      <div className="notice notice-warn">
        <Icon name="warning" />
        <p>
          <strong>Copy it now.</strong> Only a hash of it is kept, so it can’t be shown again.
        </p>
      </div>
      <div className="secret">
        <code className="breakable">{created.token}</code>
        <CopyButton text={created.token} label="Copy token" />
      </div>
      <h3 className="dialog-sub">Connect an agent over MCP</h3>
      <Tabs
        label="Client"
        tabs={snippets.map((snippet) => ({
          id: snippet.id,
          label: snippet.label,
          content: (
            <div className="snippet">
              <div className="snippet-head">
                <p>{snippet.hint}</p>
                <CopyButton text={snippet.text} label="Copy" />
              </div>
              <pre>
                <code>{snippet.text}</code>
              </pre>
            </div>
          ),
        }))}
      />
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Done, it is kept
        </Button>
      </div>
    </Dialog>
  );
}

export function RevokeTokenDialog({
  token,
  onClose,
}: {
  readonly token: AgentToken;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: () => inboxApi.revokeToken(token.token_id),
    onSuccess() {
      toast('The token is revoked.');
      onClose();
      return client.invalidateQueries(tokensQuery);
    },
  });
  return (
    <ConfirmDialog
      title={`Revoke “${token.name ?? token.agent_id}”?`}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.isError ? errorText(revoke.error) : null}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>Whoever uses it is refused from the next call on. The agent’s read marks stay.</p>
    </ConfirmDialog>
  );
}
