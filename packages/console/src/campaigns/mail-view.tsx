import { type ReactNode, useState } from 'react';
import { MailFrame } from './mail-frame.tsx';

interface MailViewProps {
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Further ways to look at it. */
  readonly more?: readonly View[];
  /** What the HTML's pictures with `cid:` addresses are, as addresses that can be shown. */
  readonly pictures?: ReadonlyMap<string, string>;
}

export interface View {
  readonly id: string;
  readonly label: string;
  readonly content: ReactNode;
}

/** A mail as people see it: HTML at two widths, plain text, header fields. */
export function MailView({ subject, html, text, headers, more = [], pictures }: MailViewProps) {
  const views: View[] = [
    ...(html === null
      ? []
      : [
          {
            id: 'desktop',
            label: 'Desktop',
            content: <MailFrame html={html} title={subject} {...(pictures && { pictures })} />,
          },
          {
            id: 'phone',
            label: 'Phone',
            content: <MailFrame html={html} title={subject} phone {...(pictures && { pictures })} />,
          },
        ]),
    ...(text === null
      ? []
      : [{ id: 'text', label: 'Plain text', content: <pre className="mail-text">{text}</pre> }]),
    { id: 'headers', label: 'Headers', content: <Headers headers={headers} /> },
    ...more,
  ];
  // Until somebody chooses, the first there is: a draft has no HTML at first.
  const [chosen, setChosen] = useState<string | null>(null);
  const view = views.find(({ id }) => id === chosen) ?? views[0];
  return (
    <div className="mail-view">
      <fieldset className="segmented">
        <legend className="visually-hidden">How to look at it</legend>
        {views.map(({ id, label }) => (
          <button key={id} type="button" aria-pressed={id === view?.id} onClick={() => setChosen(id)}>
            {label}
          </button>
        ))}
      </fieldset>
      <h2 className="mail-subject">
        <span className="visually-hidden">Subject: </span>
        <bdi>{subject || 'No subject'}</bdi>
      </h2>
      {view?.content}
    </div>
  );
}

function Headers({ headers }: Pick<MailViewProps, 'headers'>) {
  return (
    <dl className="mail-headers">
      {headers.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: fields may repeat and never move
        <div key={index}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
