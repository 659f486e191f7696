/**
 * Content compiled once, as plain data (`mail_campaigns.content_json`), and what one person brings to it.
 *
 * The texts are templates of the mail package: fixed pieces and named holes. Fixed pieces are encoded once for all
 * mails; only the holes' values are made for each person, by `personalise`.
 */

/** A fixed piece, or the name of a hole. */
export type Piece = string | { readonly hole: string };
export type Text = readonly Piece[];

/** Where values go decides how they are made fit for it. */
export type Form =
  /** Escaped for HTML. */
  | 'html'
  /** As they are. */
  | 'text'
  /** On one line, for the subject. */
  | 'line';

export type Part = 'subject' | 'html' | 'text';

/** Fields somebody writes templates in. */
export type TemplateField = 'subject' | 'preheader' | 'html' | 'mjml' | 'text';

/** Place in what somebody wrote, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Where in a mail a piece of Liquid stands, and where it was written. */
interface Written {
  readonly part: Part;
  readonly form: Form;
  readonly field: TemplateField;
  readonly at: Place;
}

/** How a hole gets its value. */
export type Recipe =
  /** A variable by itself, for which no Liquid has to run; `fallback` is that of the filter `default`. */
  | (Written & { readonly kind: 'value'; readonly path: readonly string[]; readonly fallback: string | null })
  /** Anything else in Liquid. Those of one part run in their order, on one state. */
  | (Written & { readonly kind: 'liquid'; readonly source: string })
  /** The address of a tracked link that is the same for all: an index into `links`. */
  | { readonly kind: 'click'; readonly link: number }
  /** The address of the open pixel. */
  | { readonly kind: 'pixel' };

export interface CompiledContent {
  readonly version: 1;
  readonly subject: Text;
  readonly html: Text | null;
  readonly text: Text | null;
  /** By the names of the holes, each part's in the order of its text. */
  readonly holes: Readonly<Record<string, Recipe>>;
  /** Targets of tracked links, exactly as a click has to lead to them. */
  readonly links: readonly string[];
  /** A variable that is missing is an error, not empty. */
  readonly strict: boolean;
}

/** What Liquid can name (contract, section 7). */
export interface Variables {
  readonly subscriber: {
    readonly email: string;
    readonly name: string | null;
    readonly attributes: Readonly<Record<string, unknown>>;
  };
  readonly campaign: { readonly name: string };
  readonly list: { readonly name: string };
  readonly project: { readonly name: string; readonly sender_address: string | null };
  readonly unsubscribe_url: string;
  readonly preferences_url: string;
  readonly view_url: string;
}

/** Names of {@link Variables}; anything else in a template is somebody's own, or a mistake. */
export const variableNames: ReadonlySet<string> = new Set<keyof Variables>([
  'subscriber',
  'campaign',
  'list',
  'project',
  'unsubscribe_url',
  'preferences_url',
  'view_url',
]);

/** Addresses that stand in for tracked things. */
export interface Tracking {
  /** Address for a link of `links`. */
  click(link: number): string;
  /** Address for a link that is this person's own. */
  clickTo(url: string): string;
  readonly pixel: string;
}

/** One person's side of a mail. */
export interface Recipient {
  /** {@link Variables}, and what a rendering with sample data may add. */
  readonly variables: Variables & Readonly<Record<string, unknown>>;
  /** Null shows links as they are, and no pixel. */
  readonly tracking: Tracking | null;
}
