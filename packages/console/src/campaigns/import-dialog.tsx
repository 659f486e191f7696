import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ClipboardEvent, useDeferredValue, useId, useMemo, useState } from 'react';
import type { ImportAnswer, ImportRecord, ImportResult, MailList } from '../api/campaigns.ts';
import { counted } from '../lib/names.ts';
import { Area } from '../ui/area.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Check } from '../ui/field.tsx';
import { Select } from '../ui/select.tsx';
import { type Column, readTable, recordsOf, type Table } from './csv.ts';
import { useProject } from './project.tsx';
import { campaignsKey } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';
import { reasonText } from './words.tsx';

/** Of the 10,000 that one request may have; smaller ones keep the bar moving and stay far below 10 MB. */
const RECORDS_A_REQUEST = 500;
/** A larger text is not put into the box: nobody reads it there, and browsers stall for seconds over its lines. */
const LARGEST_SHOWN = 20_000;
const PREVIEW_ROWS = 5;
const SHOWN_PROBLEMS = 200;

interface ImportProps {
  readonly list: MailList;
  readonly onClose: () => void;
}

interface Outcome {
  readonly answer: ImportAnswer;
  readonly records: readonly ImportRecord[];
}

/** From a file or a paste over a preview to what became of each record. */
export function ImportDialog({ list, onClose }: ImportProps) {
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  // Read after the box has shown what was typed.
  const read = useDeferredValue(text);
  const table = useMemo(() => readTable(read), [read]);
  const [isPreview, setPreview] = useState(false);
  return (
    <Dialog title={`Import into ${list.name}`} onClose={onClose} wide>
      {outcome !== null ? (
        <OutcomeStep outcome={outcome} onClose={onClose} />
      ) : isPreview ? (
        <PreviewStep list={list} table={table} onBack={() => setPreview(false)} onDone={setOutcome} />
      ) : (
        <SourceStep
          text={text}
          rows={table.rows.length}
          isRead={read === text}
          onText={setText}
          onNext={() => setPreview(true)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface SourceStepProps {
  readonly text: string;
  readonly rows: number;
  /** Whether the rows are those of the text. */
  readonly isRead: boolean;
  readonly onText: (text: string) => void;
  readonly onNext: () => void;
  readonly onClose: () => void;
}

function SourceStep({ text, rows, isRead, onText, onNext, onClose }: SourceStepProps) {
  const id = useId();
  const [fault, setFault] = useState<string | null>(null);
  const isLarge = text.length > LARGEST_SHOWN;

  async function read(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    try {
      onText(await file.text());
      setFault(null);
    } catch {
      setFault(`${file.name} could not be read.`);
    }
  }

  /** Past the box, which would take its time over it even if it did not keep it. */
  function takeLarge(event: ClipboardEvent<HTMLTextAreaElement>): void {
    const pasted = event.clipboardData.getData('text/plain');
    if (pasted.length <= LARGEST_SHOWN) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    onText(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
  }

  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (rows > 0 || !isRead) onNext();
        else setFault('Choose a file, or paste at least one address.');
      }}
    >
      <div className="field">
        <label htmlFor={id}>A CSV file</label>
        <input
          id={id}
          type="file"
          className="input file-input"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          onChange={(event) => void read(event.target.files?.[0])}
        />
      </div>
      <Area
        label="Or paste"
        code
        rows={8}
        value={isLarge ? '' : text}
        placeholder={'email,name,city\nana@example.org,Ana Lima,Lisbon\nbo@example.org,Bo,Århus'}
        hint={
          isLarge
            ? `${counted(rows, 'row')} wait for the preview, too many to show here. Pasting again replaces them.`
            : 'Addresses one a line, or a table with a head. Commas, semicolons and tabs all do.'
        }
        onPaste={takeLarge}
        onChange={(event) => onText(event.target.value)}
      />
      {fault !== null && <FormError text={fault} />}
      <div className="dialog-actions">
        {rows > 0 && <span className="actions-note">{counted(rows, 'row')}</span>}
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit">
          Preview
        </Button>
      </div>
    </form>
  );
}

interface PreviewStepProps {
  readonly list: MailList;
  readonly table: Table;
  readonly onBack: () => void;
  readonly onDone: (outcome: Outcome) => void;
}

function PreviewStep({ list, table, onBack, onDone }: PreviewStepProps) {
  const { api, project } = useProject();
  const [mapping, setMapping] = useState(table.mapping);
  const [resubscribe, setResubscribe] = useState(false);
  const [evidence, setEvidence] = useState('');
  const [done, setDone] = useState(0);
  const client = useQueryClient();
  const records = useMemo(() => recordsOf(table, mapping), [table, mapping]);
  const hasEmail = mapping.some(({ kind }) => kind === 'email');
  const run = useMutation({
    async mutationFn() {
      const parts: ImportAnswer[] = [];
      for (let from = 0; from < records.length; from += RECORDS_A_REQUEST) {
        setDone(from);
        const part = records.slice(from, from + RECORDS_A_REQUEST);
        parts.push(
          await api.subscribers.importAll(list.id, {
            records: part,
            ...(resubscribe && { resubscribe, evidence }),
          }),
        );
      }
      return { answer: joined(parts), records };
    },
    onSuccess: onDone,
    // Also after a failure: the parts before it are in.
    onSettled: () => client.invalidateQueries({ queryKey: [campaignsKey, project.id] }),
  });
  const rest = errorBeside(run.error, ['evidence']);
  return (
    <div className="form">
      <p className="dialog-text">
        {counted(table.rows.length, 'row')}. Say what each column holds; empty cells change nothing.
      </p>
      <div className="table-frame">
        <table className="table preview-table">
          <thead>
            <tr>
              {table.columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns are told apart by their place alone
                <th key={index} scope="col">
                  <span className="column-name" title={column}>
                    {column}
                  </span>
                  <Select
                    bare
                    label={`What ${column} holds`}
                    value={kindOf(mapping[index])}
                    options={MEANINGS}
                    onChange={(value) => setMapping(mapping.with(index, columnOf(value, column)))}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, PREVIEW_ROWS).map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows never move
              <tr key={index}>
                {table.columns.map((column, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are told apart by their place alone
                  <td key={place} title={column}>
                    {row[place] ?? ''}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {list.opt_in === 'double' && (
        <p className="field-hint">
          Nobody is mailed a question by an import: whoever is new here stays unconfirmed, and gets no mails.
        </p>
      )}
      <Check
        label="These people asked to come back"
        hint="Without it, whoever unsubscribed, bounced or complained stays as they are."
        checked={resubscribe}
        onChange={setResubscribe}
      />
      {resubscribe && (
        <Area
          label="How and when they agreed"
          rows={2}
          value={evidence}
          error={errorAt(run.error, 'evidence')}
          onChange={(event) => setEvidence(event.target.value)}
        />
      )}
      {!hasEmail && <FormError text="Say which column holds the addresses." />}
      {rest !== null && <FormError text={rest} />}
      {run.isPending && (
        <div className="field">
          <progress className="progress" max={records.length} value={done} aria-label="Import" />
          <p className="field-hint" role="status">
            {done.toLocaleString()} of {counted(records.length, 'record')}
          </p>
        </div>
      )}
      <div className="dialog-actions">
        <Button disabled={run.isPending} onClick={onBack}>
          Back
        </Button>
        <Button kind="primary" busy={run.isPending} disabled={!hasEmail} onClick={() => run.mutate()}>
          Import {counted(records.length, 'record')}
        </Button>
      </div>
    </div>
  );
}

/** What a column may hold; an attribute has the column's name. */
const MEANINGS = [
  { value: 'email', label: 'Address' },
  { value: 'name', label: 'Name' },
  { value: 'attribute', label: 'Attribute' },
  { value: 'ignore', label: 'Leave out' },
] as const;

const kindOf = (column: Column | undefined) => column?.kind ?? 'ignore';

function columnOf(value: string, name: string): Column {
  return value === 'attribute'
    ? { kind: 'attribute', name }
    : { kind: value === 'email' || value === 'name' ? value : 'ignore' };
}

/** One answer of several; results keep counting through. */
function joined(parts: readonly ImportAnswer[]): ImportAnswer {
  const results: ImportResult[] = [];
  const sums = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  for (const part of parts) {
    const before = results.length;
    results.push(...part.results.map((result) => ({ ...result, index: before + result.index })));
    for (const key of ['created', 'updated', 'unchanged', 'skipped'] as const) sums[key] += part[key];
  }
  return { ...sums, results };
}

function OutcomeStep({ outcome, onClose }: { readonly outcome: Outcome; readonly onClose: () => void }) {
  const { answer, records } = outcome;
  const [which, setWhich] = useState(answer.skipped > 0 ? 'skipped' : 'all');
  const shown = answer.results.filter((result) => which === 'all' || result.outcome === which);
  return (
    <>
      <p className="visually-hidden" role="status">
        The import is done.
      </p>
      <dl className="figures figures-wrap">
        {(['created', 'updated', 'unchanged', 'skipped'] as const).map((name) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{answer[name].toLocaleString()}</dd>
          </div>
        ))}
      </dl>
      <Select
        label="Show"
        value={which}
        options={[
          { value: 'all', label: 'All records' },
          ...['created', 'updated', 'unchanged', 'skipped'].map((name) => ({
            value: name,
            label: `Only ${name}`,
          })),
        ]}
        onChange={setWhich}
      />
      {shown.length === 0 ? (
        <p className="section-none">None.</p>
      ) : (
        <div className="table-frame table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Record</th>
                <th scope="col">Address</th>
                <th scope="col">Outcome</th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, SHOWN_PROBLEMS).map((result) => (
                <tr key={result.index}>
                  <td>{(result.index + 1).toLocaleString()}</td>
                  <td className="breakable">{records[result.index]?.email || '(empty)'}</td>
                  <td>
                    {result.outcome}
                    {result.reason !== null && `: ${reasonText(result.reason)}`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > SHOWN_PROBLEMS && (
        <p className="field-hint">
          The first {SHOWN_PROBLEMS} of {shown.length.toLocaleString()}.
        </p>
      )}
      <div className="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </>
  );
}
