import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Campaign, Tracking } from '../api/campaigns.ts';
import { Link, paths } from '../router.tsx';
import { Area } from '../ui/area.tsx';
import { Button } from '../ui/button.tsx';
import { FormError } from '../ui/dialog.tsx';
import { Check, Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Select } from '../ui/select.tsx';
import { DraftActions } from './draft-actions.tsx';
import { LaunchDialog } from './launch.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { useProject } from './project.tsx';
import { listsQuery, segmentsQuery, templatesQuery } from './queries.ts';
import { TestDialog } from './test-dialog.tsx';
import { fromLocalTime, toLocalTime } from './times.ts';
import { type Draft, useDraft } from './use-draft.ts';
import { errorAt, errorBeside } from './violations.ts';
import { CampaignStateBadge } from './words.tsx';

const shownFields = [
  'name',
  'list_ids',
  'segment_id',
  'from',
  'reply_to',
  'subject',
  'preheader',
  'template_id',
  'html',
  'text',
  'tracking',
  'send_at',
  'max_lateness_seconds',
  'rate_per_second',
  'strict_variables',
];

const statusWords: Readonly<Record<Draft['status'], string>> = {
  saved: 'Saved',
  waiting: 'Changed…',
  saving: 'Saving…',
  failed: 'Not saved',
};

/** A draft on the left, what becomes of it on the right. */
export function Editor({ campaign }: { readonly campaign: Campaign }) {
  const { project } = useProject();
  const draft = useDraft(campaign);
  const [open, setOpen] = useState<'launch' | 'test' | null>(null);
  const rest = errorBeside(draft.error, shownFields);

  async function show(dialog: 'launch' | 'test'): Promise<void> {
    if (await draft.flush()) setOpen(dialog);
  }

  return (
    <>
      <RoomHead
        back={paths.campaigns(project.id, 'campaigns')}
        backLabel="All campaigns"
        title={draft.fields.name}
        badge={<CampaignStateBadge state={campaign.state} />}
      >
        <span className={`save-state save-${draft.status}`} role="status">
          <Icon
            name={draft.status === 'failed' ? 'warning' : draft.status === 'saved' ? 'check' : 'clock'}
            small
          />
          {statusWords[draft.status]}
        </span>
        <DraftActions campaign={campaign} />
        <Button onClick={() => void show('test')}>Send a test</Button>
        <Button kind="primary" icon="send" onClick={() => void show('launch')}>
          Launch…
        </Button>
      </RoomHead>
      {draft.status === 'failed' && rest !== null && <FormError text={rest} />}
      <div className="editor">
        <form className="form editor-form" noValidate onSubmit={(event) => event.preventDefault()}>
          <Audience draft={draft} />
          <Envelope draft={draft} />
          <Content draft={draft} />
          <Delivery draft={draft} />
        </form>
        <PreviewPane campaign={campaign} version={draft.version} listIds={draft.fields.list_ids} />
      </div>
      {open === 'launch' && <LaunchDialog campaign={campaign} onClose={() => setOpen(null)} />}
      {open === 'test' && <TestDialog campaign={campaign} onClose={() => setOpen(null)} />}
    </>
  );
}

interface PartProps {
  readonly draft: Draft;
}

function Audience({ draft }: PartProps) {
  const room = useProject();
  const { fields, set, error } = draft;
  const lists = useQuery(listsQuery(room));
  const segments = useQuery(segmentsQuery(room)).data ?? [];
  const fault = errorAt(error, 'list_ids');
  return (
    <fieldset className="group">
      <legend>Who gets it</legend>
      <Field
        label="Name of the campaign"
        value={fields.name}
        error={errorAt(error, 'name')}
        onChange={(event) => set('name', event.target.value)}
      />
      <fieldset className="choice">
        <legend>Lists</legend>
        {lists.data?.length === 0 && (
          <p className="section-none">
            There are none yet. <Link to={paths.campaigns(room.project.id, 'lists')}>Make one.</Link>
          </p>
        )}
        {(lists.data ?? []).map((list) => (
          <Check
            key={list.id}
            label={list.name}
            hint={`${list.counts.subscribed.toLocaleString()} subscribed`}
            checked={fields.list_ids.includes(list.id)}
            onChange={(on) =>
              set(
                'list_ids',
                on ? [...fields.list_ids, list.id] : fields.list_ids.filter((id) => id !== list.id),
              )
            }
          />
        ))}
        {fault !== null && <p className="field-error">{fault}</p>}
      </fieldset>
      <Select
        label="Segment"
        value={fields.segment_id ?? ''}
        hint="Only those of the lists whom it matches."
        options={[
          { value: '', label: 'Everybody on the lists' },
          ...segments.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        error={errorAt(error, 'segment_id')}
        onChange={(id) => set('segment_id', id || null)}
      />
    </fieldset>
  );
}

function Envelope({ draft }: PartProps) {
  const { fields, set, error } = draft;
  const [fromName, setFromName] = useState(fields.from?.name ?? '');
  const [fromEmail, setFromEmail] = useState(fields.from?.email ?? '');

  function changeFrom(name: string, email: string): void {
    setFromName(name);
    setFromEmail(email);
    const isEmpty = name.trim() === '' && email.trim() === '';
    set('from', isEmpty ? null : { name: name.trim() || null, email: email.trim() });
  }

  return (
    <fieldset className="group">
      <legend>What the mailbox shows</legend>
      <div className="field-pair">
        <Field
          label="From: name"
          value={fromName}
          error={errorAt(error, 'from.name')}
          onChange={(event) => changeFrom(event.target.value, fromEmail)}
        />
        <Field
          label="From: address"
          type="email"
          value={fromEmail}
          placeholder="the list’s sender"
          error={errorAt(error, 'from.email')}
          onChange={(event) => changeFrom(fromName, event.target.value)}
        />
      </div>
      <Field
        label="Subject"
        value={fields.subject ?? ''}
        placeholder={fields.template_id === null ? undefined : 'the template’s subject'}
        error={errorAt(error, 'subject')}
        onChange={(event) => set('subject', event.target.value || null)}
      />
      <Field
        label="Preheader"
        value={fields.preheader ?? ''}
        hint="Stands behind the subject in a mailbox; hidden in the mail."
        error={errorAt(error, 'preheader')}
        onChange={(event) => set('preheader', event.target.value || null)}
      />
      <Field
        label="Reply to (optional)"
        type="email"
        value={fields.reply_to ?? ''}
        error={errorAt(error, 'reply_to')}
        onChange={(event) => set('reply_to', event.target.value.trim() || null)}
      />
    </fieldset>
  );
}

const starter = `<!doctype html>
<html>
  <body style="font-family: sans-serif; line-height: 1.5; color: #222; margin: 0; padding: 24px">
    <div style="max-width: 560px; margin: 0 auto">
      <h1 style="font-size: 24px">Hello {{ subscriber.name | default: "there" }}</h1>
      <p>Write here what is new.</p>
      <p style="font-size: 13px; color: #666">
        You get this since you are on {{ list.name }}.
        <a href="{{ unsubscribe_url }}">Unsubscribe</a>
      </p>
      <p style="font-size: 13px; color: #666">{{ project.sender_address | newline_to_br }}</p>
    </div>
  </body>
</html>
`;

function Content({ draft }: PartProps) {
  const room = useProject();
  const { fields, set, error } = draft;
  const templates = useQuery(templatesQuery(room)).data ?? [];
  const chosen = templates.find(({ id }) => id === fields.template_id);
  return (
    <fieldset className="group">
      <legend>What it says</legend>
      <Select
        label="Template"
        value={fields.template_id ?? ''}
        hint={
          fields.template_id === null || fields.html === null
            ? undefined
            : 'The HTML below takes the place of the template’s body.'
        }
        options={[
          { value: '', label: 'None: written here' },
          ...templates.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        error={errorAt(error, 'template_id')}
        onChange={(id) => set('template_id', id || null)}
      />
      <Area
        label="HTML"
        code
        rows={16}
        value={fields.html ?? ''}
        placeholder={chosen === undefined ? undefined : `Empty: the body of ${chosen.name} is used.`}
        error={errorAt(error, 'html')}
        hint={
          <>
            Liquid: <code>{'{{ subscriber.name }}'}</code>, <code>{'{{ subscriber.attributes.city }}'}</code>,{' '}
            <code>{'{{ unsubscribe_url }}'}</code>, <code>{'{{ preferences_url }}'}</code>,{' '}
            <code>{'{{ view_url }}'}</code>, <code>{'{{ project.sender_address }}'}</code>.
          </>
        }
        onChange={(event) => set('html', event.target.value || null)}
      />
      {fields.html === null && fields.template_id === null && (
        <div>
          <Button icon="file" onClick={() => set('html', starter)}>
            Begin with a simple page
          </Button>
        </div>
      )}
      <Area
        label="Plain text (optional)"
        code
        rows={5}
        value={fields.text ?? ''}
        placeholder="Empty: made from the HTML."
        error={errorAt(error, 'text')}
        onChange={(event) => set('text', event.target.value || null)}
      />
    </fieldset>
  );
}

const trackingOptions = [
  { value: 'off', label: 'Off' },
  { value: 'anonymous', label: 'Counted, without names' },
  { value: 'person', label: 'Per person' },
];

function Delivery({ draft }: PartProps) {
  const { fields, set, error } = draft;
  return (
    <fieldset className="group">
      <legend>How it goes</legend>
      <div className="field-pair">
        <Select
          label="Opens"
          value={fields.tracking.opens}
          options={trackingOptions}
          error={errorAt(error, 'tracking.opens')}
          onChange={(value) => set('tracking', { ...fields.tracking, opens: value as Tracking })}
        />
        <Select
          label="Clicks"
          value={fields.tracking.clicks}
          options={trackingOptions}
          error={errorAt(error, 'tracking.clicks')}
          onChange={(value) => set('tracking', { ...fields.tracking, clicks: value as Tracking })}
        />
      </div>
      <Field
        label="Send at (optional)"
        type="datetime-local"
        value={toLocalTime(fields.send_at)}
        hint={`Your time zone. Empty: at once, when you launch it. Sent at most ${Math.round(fields.max_lateness_seconds / 60)} minutes late, else not by itself.`}
        error={errorAt(error, 'send_at')}
        onChange={(event) => set('send_at', fromLocalTime(event.target.value))}
      />
      <div className="field-pair">
        <Field
          label="Most minutes late"
          type="number"
          min={0}
          value={Math.round(fields.max_lateness_seconds / 60)}
          error={errorAt(error, 'max_lateness_seconds')}
          onChange={(event) => set('max_lateness_seconds', Math.round(Number(event.target.value) * 60))}
        />
        <Field
          label="Mails a second, at most"
          type="number"
          min={1}
          value={fields.rate_per_second ?? ''}
          placeholder="no limit"
          error={errorAt(error, 'rate_per_second')}
          onChange={(event) =>
            set('rate_per_second', event.target.value === '' ? null : Number(event.target.value))
          }
        />
      </div>
      <Check
        label="A missing value fails the mail"
        hint="Off, a value that somebody lacks is left empty."
        checked={fields.strict_variables}
        onChange={(on) => set('strict_variables', on)}
      />
    </fieldset>
  );
}
