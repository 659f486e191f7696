import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { adminApi, type Project } from '../api/campaigns.ts';
import { plainLetters } from '../lib/names.ts';
import { Link, navigate, paths } from '../router.tsx';
import { Area } from '../ui/area.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog, FormError } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { Empty } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { DryRunDialog } from './dry-run.tsx';
import { projectsQuery } from './queries.ts';
import { errorAt, errorBeside } from './violations.ts';

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'delete'; readonly project: Project }
  | null;

const fields = ['name', 'slug', 'sender_address'] as const;

export function ProjectsSection({ projects }: { readonly projects: readonly Project[] }) {
  const [open, setOpen] = useState<Open>(null);
  if (projects.length === 0) return <FirstProject />;
  return (
    <Section
      title="Projects"
      intro="A sender with its own lists, campaigns, domains and keys. Nothing is shared between projects."
      action={
        <Button kind="primary" icon="plus" onClick={() => setOpen({ kind: 'create' })}>
          New project
        </Button>
      }
    >
      <ul className="cards">
        {projects.map((project) => (
          <li key={project.id}>
            <article className="card card-row" aria-label={project.name}>
              <div className="card-title">
                <h2>
                  <Link to={paths.campaigns(project.id)}>
                    <bdi>{project.name}</bdi>
                  </Link>
                </h2>
                <p className="card-meta">
                  <code>{project.slug}</code>
                  <code>{project.id}</code>
                  <span>
                    made <Time at={project.created_at} as="relative" />
                  </span>
                  {project.sender_address === null && <span>no postal address yet</span>}
                </p>
              </div>
              <div className="card-actions">
                <IconButton
                  icon="pencil"
                  label={`Edit ${project.name}`}
                  onClick={() => setOpen({ kind: 'edit', project })}
                />
                <IconButton
                  icon="trash"
                  label={`Delete ${project.name}`}
                  className="icon-button-danger"
                  onClick={() => setOpen({ kind: 'delete', project })}
                />
              </div>
            </article>
          </li>
        ))}
      </ul>
      {open?.kind === 'create' && <ProjectDialog project={null} onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && <ProjectDialog project={open.project} onClose={() => setOpen(null)} />}
      {open?.kind === 'delete' && (
        <DryRunDialog
          title={`Delete ${open.project.name}?`}
          action="Delete the project"
          run={(dryRun) => adminApi.deleteProject(open.project.id, dryRun)}
          onDone={() => navigate(paths.campaigns(null, 'projects'))}
          onClose={() => setOpen(null)}
        >
          <p>Its lists, campaigns and keys go with it. This can’t be undone.</p>
        </DryRunDialog>
      )}
    </Section>
  );
}

/** What a fresh Postern shows. */
export function FirstProject() {
  const [creating, setCreating] = useState(false);
  return (
    <div className="full-page">
      <Empty
        icon="megaphone"
        title="Start with a project"
        action={
          <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
            New project
          </Button>
        }
      >
        <p>
          A project is one sender: a shop, a club, a newsletter. It has lists of people, campaigns, sending
          domains and keys of its own.
        </p>
      </Empty>
      {creating && <ProjectDialog project={null} onClose={() => setCreating(false)} />}
    </div>
  );
}

/** A slug as the server takes it, made from a name. */
export function projectSlug(name: string): string {
  return plainLetters(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63);
}

interface ProjectDialogProps {
  /** Null makes one. */
  readonly project: Project | null;
  readonly onClose: () => void;
}

function ProjectDialog({ project, onClose }: ProjectDialogProps) {
  const [name, setName] = useState(project?.name ?? '');
  const [slug, setSlug] = useState(project?.slug ?? null);
  const [address, setAddress] = useState(project?.sender_address ?? '');
  const client = useQueryClient();
  const toast = useToast();
  const shownSlug = slug ?? projectSlug(name);
  const save = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), slug: shownSlug, sender_address: address.trim() || null };
      return project === null ? adminApi.createProject(body) : adminApi.updateProject(project.id, body);
    },
    async onSuccess(saved) {
      await client.invalidateQueries(projectsQuery);
      toast(project === null ? `${saved.name} is ready.` : 'Saved.');
      onClose();
      if (project === null) navigate(paths.campaigns(saved.id, 'lists'));
    },
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }

  const rest = errorBeside(save.error, fields);
  return (
    <Dialog title={project === null ? 'New project' : `Edit ${project.name}`} onClose={onClose}>
      <form className="form" onSubmit={submit} noValidate>
        <Field
          label="Name"
          value={name}
          data-starts-here
          error={errorAt(save.error, 'name')}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label="Slug"
          value={shownSlug}
          spellCheck={false}
          autoCapitalize="none"
          hint="Names the project in addresses: lower-case letters, digits and hyphens."
          error={errorAt(save.error, 'slug')}
          onChange={(event) => setSlug(event.target.value)}
        />
        <Area
          label="Postal address (optional)"
          rows={3}
          value={address}
          hint="Many laws want it in every mail; {{ project.sender_address }} puts it there."
          error={errorAt(save.error, 'sender_address')}
          onChange={(event) => setAddress(event.target.value)}
        />
        {rest !== null && <FormError text={rest} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={save.isPending}>
            {project === null ? 'Create' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
