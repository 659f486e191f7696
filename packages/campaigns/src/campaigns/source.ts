import type { ContentSource } from '../content/compile.ts';
import type { CampaignTable, TemplateTable } from '../tables.ts';

type Written = Pick<CampaignTable, 'subject' | 'preheader' | 'html' | 'text'>;

/**
 * What a campaign says: its own words, and its template's where it has none. Own HTML takes the place of the whole
 * body, so that the template's plain text never stands beside it.
 */
export function contentSource(campaign: Written, template: TemplateTable | null): ContentSource {
  const { subject, preheader, html, text } = campaign;
  const body =
    html !== null || template === null
      ? { html, mjml: null, text }
      : { html: template.html, mjml: template.mjml, text: text ?? template.text };
  return { subject: subject ?? template?.subject ?? '', preheader, ...body };
}

export function hasBody({ html, mjml, text }: ContentSource): boolean {
  return [html, mjml, text].some((body) => body !== null && body.trim() !== '');
}
