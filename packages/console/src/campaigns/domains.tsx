import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DnsRecord, SendingDomain } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, domainsQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';

export function DomainsSection() {
  const room = useProject();
  const domains = useQuery(domainsQuery(room));
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<SendingDomain | null>(null);
  const add = (
    <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
      Add a domain
    </Button>
  );
  return (
    <Section
      title="Sending domains"
      intro="Mails are signed for these domains. Set the records at your DNS provider, then verify."
      action={domains.data !== undefined && domains.data.length > 0 && add}
    >
      <Loaded query={domains} what="the domains">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="globe" title="No sending domains yet" action={add}>
              <p>
                Captured mail needs none. Before mails leave by SMTP, the domain of the sender stands here.
              </p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.map((domain) => (
                <li key={domain.id}>
                  <DomainCard domain={domain} onDelete={() => setDeleting(domain)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {adding && <AddDialog onClose={() => setAdding(false)} />}
      {deleting !== null && (
        <DryRunDialog
          title={`Delete ${deleting.domain}?`}
          action="Delete the domain"
          run={(dryRun) => room.api.domains.remove(deleting.id, dryRun)}
          onClose={() => setDeleting(null)}
        />
      )}
    </Section>
  );
}

const stateKinds = { unverified: 'warn', verified: 'good', failing: 'danger' } as const;

interface DomainCardProps {
  readonly domain: SendingDomain;
  readonly onDelete: () => void;
}

function DomainCard({ domain, onDelete }: DomainCardProps) {
  const { api, project } = useProject();
  const client = useQueryClient();
  const toast = useToast();
  const verify = useMutation({
    mutationFn: () => api.domains.verify(domain.id),
    onSuccess(answer) {
      toast(
        answer.state === 'verified' ? `${answer.domain} is verified.` : 'Not all records are right yet.',
        answer.state === 'verified' ? 'done' : 'failed',
      );
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'domains'] });
    },
    onError: (error) => toast(`It could not be looked up. ${errorText(error)}`, 'failed'),
  });
  return (
    <article className="card" aria-label={domain.domain}>
      <div className="card-head">
        <div className="card-title">
          <h2>
            <bdi>{domain.domain}</bdi>
            <Badge kind={stateKinds[domain.state]}>{domain.state}</Badge>
          </h2>
          <p className="card-meta">
            <span>
              selector <code>{domain.dkim_selector}</code>
            </span>
            {domain.verified_at !== null && (
              <span>
                verified <Time at={domain.verified_at} as="relative" />
              </span>
            )}
          </p>
        </div>
        <Button icon="refresh" busy={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
        <Button onClick={onDelete}>Delete</Button>
      </div>
      <ul className="dns-records">
        {domain.records.map((record) => (
          <li key={record.purpose}>
            <Record record={record} />
          </li>
        ))}
      </ul>
    </article>
  );
}

const purposes = { dkim: 'DKIM', spf: 'SPF', dmarc: 'DMARC', return_path: 'Return path' } as const;
const statusKinds = {
  pending: 'plain',
  verified: 'good',
  missing: 'danger',
  mismatch: 'danger',
  error: 'warn',
} as const;
const statusWords = {
  pending: 'not looked up yet',
  verified: 'right',
  missing: 'not there',
  mismatch: 'says something else',
  error: 'could not be looked up',
} as const;

function Record({ record }: { readonly record: DnsRecord }) {
  return (
    <section className="dns-record" aria-label={purposes[record.purpose]}>
      <h3>
        {purposes[record.purpose]} <Badge>{record.type}</Badge>{' '}
        <Badge kind={statusKinds[record.status]}>{statusWords[record.status]}</Badge>
      </h3>
      <div className="dns-line">
        <code className="breakable">{record.name}</code>
        <CopyButton text={record.name} label="Copy name" />
      </div>
      <div className="dns-line">
        <code className="breakable dns-value">{record.value}</code>
        <CopyButton text={record.value} label="Copy value" />
      </div>
      {record.found !== null && record.status !== 'verified' && (
        <p className="field-hint breakable">
          Found: <code>{record.found}</code>
        </p>
      )}
    </section>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, project } = useProject();
  const [domain, setDomain] = useState('');
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: () => api.domains.create(domain.trim()),
    onSuccess() {
      onClose();
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'domains'] });
    },
  });
  const rest = errorBeside(add.error, ['domain']);
  return (
    <Dialog title="Add a sending domain" onClose={onClose}>
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Field
          label="Domain"
          value={domain}
          placeholder="example.org"
          spellCheck={false}
          autoCapitalize="none"
          data-starts-here
          hint="That of the senders’ addresses. A key for its signatures is made here."
          error={errorAt(add.error, 'domain')}
          onChange={(event) => setDomain(event.target.value)}
        />
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={add.isPending}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
