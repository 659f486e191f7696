import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Template, TemplateFields } from '../api/campaigns.ts';
import { errorText } from '../api/http.ts';
import { navigate, paths } from '../router.tsx';
import { Area } from '../ui/area.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { RoomHead } from '../ui/room-head.tsx';
import { Loaded } from '../ui/section.tsx';
import { useToast } from '../ui/toast.tsx';
import { RenderedView } from './preview-pane.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, templateQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';

export function TemplatePage({ templateId }: { readonly templateId: string }) {
  const room = useProject();
  const template = useQuery(templateQuery(room, templateId));
  return (
    <div className="section section-wide">
      <Loaded query={template} what="the template">
        {(data) => <TemplateEditor key={data.id} template={data} />}
      </Loaded>
    </div>
  );
}

const sample = `{
  "subscriber": { "name": "Ana", "attributes": { "city": "Lisbon" } }
}`;

function readSample(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** Saved on purpose, not by itself: campaigns that are on their way may use it. */
function TemplateEditor({ template }: { readonly template: Template }) {
  const room = useProject();
  const { api, project } = room;
  const [fields, setFields] = useState<TemplateFields>(template);
  const [saved, setSaved] = useState<TemplateFields>(template);
  const [data, setData] = useState(sample);
  const [isDeleting, setDeleting] = useState(false);
  const client = useQueryClient();
  const toast = useToast();
  const names = ['name', 'subject', 'html', 'mjml', 'text'] as const;
  const changed = names.filter((name) => fields[name] !== saved[name]);
  const save = useMutation({
    mutationFn: () =>
      api.templates.update(template.id, Object.fromEntries(changed.map((name) => [name, fields[name]]))),
    onSuccess(answer) {
      setSaved(answer);
      client.setQueryData(templateQuery(room, template.id).queryKey, answer);
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'templates'] });
    },
  });
  const remove = useMutation({
    mutationFn: () => api.templates.remove(template.id),
    onSuccess() {
      toast('The template is deleted.');
      navigate(paths.campaigns(project.id, 'templates'));
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'templates'] });
    },
  });
  const values = readSample(data);
  const rendered = useQuery({
    queryKey: [campaignsKey, project.id, 'render', template.id, saved, values],
    queryFn: () => api.templates.render(template.id, values ?? {}),
    enabled: values !== null,
    retry: false,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const set = (name: keyof TemplateFields, value: string) =>
    setFields((before) => ({ ...before, [name]: name === 'name' ? value : value || null }));
  const isMjml = fields.mjml !== null || (saved.mjml !== null && fields.html === null);
  const body = isMjml ? 'mjml' : 'html';
  const rest = errorBeside(save.error, names);
  return (
    <>
      <RoomHead
        back={paths.campaigns(project.id, 'templates')}
        backLabel="All templates"
        title={saved.name}
        meta={changed.length > 0 ? 'There are changes that are not saved.' : null}
      >
        <IconButton
          icon="trash"
          label={`Delete ${saved.name}`}
          className="icon-button-danger"
          onClick={() => setDeleting(true)}
        />
        <Button
          kind="primary"
          busy={save.isPending}
          disabled={changed.length === 0}
          onClick={() => save.mutate()}
        >
          Save
        </Button>
      </RoomHead>
      {rest !== null && <FormError text={rest} />}
      <div className="editor">
        <form
          className="form editor-form"
          noValidate
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            if (changed.length > 0) save.mutate();
          }}
        >
          <Field
            label="Name"
            value={fields.name}
            error={errorAt(save.error, 'name')}
            onChange={(event) => set('name', event.target.value)}
          />
          <Field
            label="Subject"
            value={fields.subject ?? ''}
            error={errorAt(save.error, 'subject')}
            hint="A campaign’s own subject comes before it."
            onChange={(event) => set('subject', event.target.value)}
          />
          <Area
            label={isMjml ? 'MJML' : 'HTML'}
            code
            rows={20}
            value={fields[body] ?? ''}
            error={errorAt(save.error, body)}
            onChange={(event) => set(body, event.target.value)}
          />
          <Area
            label="Plain text (optional)"
            code
            rows={4}
            value={fields.text ?? ''}
            placeholder="Empty: made from the body."
            error={errorAt(save.error, 'text')}
            onChange={(event) => set('text', event.target.value)}
          />
          <Area
            label="Sample data"
            code
            rows={4}
            value={data}
            hint="JSON, for the preview alone."
            error={values === null ? 'It must be a JSON object.' : null}
            onChange={(event) => setData(event.target.value)}
          />
        </form>
        <section className="preview" aria-label="Preview">
          <div className="toolbar">
            <h2>Preview</h2>
            {changed.length > 0 && <span className="field-hint">of what is saved</span>}
          </div>
          <RenderedView rendered={rendered.data} error={rendered.error} />
        </section>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${saved.name}?`}
          action="Delete the template"
          busy={remove.isPending}
          error={remove.isError ? errorText(remove.error) : null}
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>Drafts that use it can’t be launched until they name another. What was launched goes on.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
