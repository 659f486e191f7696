import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, navigate, paths } from '../router.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Choice, Field } from '../ui/field.tsx';
import { Loaded, Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useProject } from './project.tsx';
import { campaignsKey, templatesQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';

export function TemplatesSection() {
  const room = useProject();
  const templates = useQuery(templatesQuery(room));
  const [creating, setCreating] = useState(false);
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      New template
    </Button>
  );
  return (
    <Section
      title="Templates"
      intro="Bodies that many campaigns and single mails share, in HTML or MJML with Liquid."
      action={templates.data !== undefined && templates.data.length > 0 && create}
    >
      <Loaded query={templates} what="the templates">
        {(all) =>
          all.length === 0 ? (
            <Empty icon="layout" title="No templates yet" action={create}>
              <p>MJML looks right in every mail program, and on phones too.</p>
            </Empty>
          ) : (
            <ul className="cards">
              {all.map((template) => (
                <li key={template.id}>
                  <article className="card" aria-label={template.name}>
                    <div className="card-title">
                      <h2>
                        <Link to={paths.campaigns(room.project.id, 'templates', template.id)}>
                          <bdi>{template.name}</bdi>
                        </Link>
                        <Badge>
                          {template.mjml !== null ? 'MJML' : template.html !== null ? 'HTML' : 'text'}
                        </Badge>
                      </h2>
                      <p className="card-meta">
                        <span>{template.subject ?? 'no subject'}</span>
                        <span>
                          changed <Time at={template.updated_at} as="relative" />
                        </span>
                      </p>
                    </div>
                  </article>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Section>
  );
}

const mjmlStarter = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text font-size="22px">Hello {{ subscriber.name | default: "there" }}</mj-text>
        <mj-text>Write here what is new.</mj-text>
        <mj-text font-size="12px" color="#666666">
          You get this since you are on {{ list.name }}.
          <a href="{{ unsubscribe_url }}">Unsubscribe</a>
        </mj-text>
        <mj-text font-size="12px" color="#666666">{{ project.sender_address | newline_to_br }}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;

const htmlStarter = `<!doctype html>
<html>
  <body style="font-family: sans-serif; line-height: 1.5; color: #222">
    <h1>Hello {{ subscriber.name | default: "there" }}</h1>
    <p>Write here what is new.</p>
    <p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>
    <p>{{ project.sender_address | newline_to_br }}</p>
  </body>
</html>
`;

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { api, project } = useProject();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'mjml' | 'html'>('mjml');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      api.templates.create({
        name: name.trim(),
        ...(kind === 'mjml' ? { mjml: mjmlStarter } : { html: htmlStarter }),
      }),
    onSuccess(template) {
      onClose();
      navigate(paths.campaigns(project.id, 'templates', template.id));
      return client.invalidateQueries({ queryKey: [campaignsKey, project.id, 'templates'] });
    },
  });
  const rest = errorBeside(create.error, ['name']);
  function submit(event: FormEvent): void {
    event.preventDefault();
    create.mutate();
  }
  return (
    <Dialog title="New template" onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          data-starts-here
          error={errorAt(create.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Choice
          legend="Written in"
          name="template-kind"
          value={kind}
          options={[
            { value: 'mjml', label: 'MJML', hint: 'Columns and buttons that hold in every mail program.' },
            { value: 'html', label: 'HTML', hint: 'Your own markup, as it is.' },
          ]}
          onChange={setKind}
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
