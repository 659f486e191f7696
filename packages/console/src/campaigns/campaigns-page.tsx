import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Project } from '../api/campaigns.ts';
import { type CampaignsSection, Link, navigate, paths } from '../router.tsx';
import '../styles/campaigns.css';
import { RoomNav, type RoomSection } from '../ui/room-nav.tsx';
import { Loaded } from '../ui/section.tsx';
import { Select } from '../ui/select.tsx';
import { Empty } from '../ui/states.tsx';
import { CampaignPage } from './campaign-page.tsx';
import { CampaignsSectionPage } from './campaigns.tsx';
import { CapturedSection } from './captured.tsx';
import { DomainsSection } from './domains.tsx';
import { KeysSection } from './keys.tsx';
import { ListPage } from './list-page.tsx';
import { ListsSection } from './lists.tsx';
import { lastProject, ProjectContext, roomOf } from './project.tsx';
import { FirstProject, ProjectsSection } from './projects.tsx';
import { projectsQuery } from './queries.ts';
import { SegmentPage, SegmentsSection } from './segments.tsx';
import { SuppressionsSection } from './suppressions.tsx';
import { TemplatePage } from './template-page.tsx';
import { TemplatesSection } from './templates.tsx';
import { WebhooksSection } from './webhooks.tsx';

const sections: Readonly<Record<CampaignsSection, RoomSection>> = {
  campaigns: { label: 'Campaigns', icon: 'megaphone' },
  lists: { label: 'Lists', icon: 'users' },
  segments: { label: 'Segments', icon: 'filter' },
  templates: { label: 'Templates', icon: 'layout' },
  domains: { label: 'Sending domains', icon: 'globe' },
  suppressions: { label: 'Suppressions', icon: 'block' },
  webhooks: { label: 'Webhooks', icon: 'pulse' },
  keys: { label: 'Keys', icon: 'key' },
  captured: { label: 'Captured mail', icon: 'mail' },
  projects: { label: 'Projects', icon: 'folder' },
};

interface CampaignsPageProps {
  readonly project: string | null;
  readonly section: CampaignsSection;
  readonly item: string | null;
  readonly publicUrl: string;
}

/** The rooms of the campaigns: one project at a time, its sections on the left. */
export function CampaignsPage({ project: wanted, section, item, publicUrl }: CampaignsPageProps) {
  const projects = useQuery(projectsQuery);
  const known = projects.data;
  const project = known === undefined ? null : chosenProject(known, wanted);
  useEffect(() => {
    if (project === null) return;
    lastProject.write(project.id);
    if (wanted === null) navigate(paths.campaigns(project.id, section, item), { replace: true });
  }, [project, wanted, section, item]);

  return (
    <div className="inbox campaigns" data-item={item !== null || undefined}>
      <RoomNav
        label="Campaigns"
        heading={
          <header className="pane-head project-switch">
            <h2 className="visually-hidden">Campaigns</h2>
            {known !== undefined && known.length > 0 && (
              <Select
                bare
                label="Project"
                value={project?.id ?? ''}
                options={[
                  ...(project === null ? [{ value: '', label: 'Choose a project' }] : []),
                  ...known.map(({ id, name }) => ({ value: id, label: name })),
                ]}
                onChange={(id) => navigate(paths.campaigns(id, section))}
              />
            )}
          </header>
        }
        sections={sections}
        open={section}
        pathOf={(name) => paths.campaigns(project?.id ?? null, name)}
      />
      <Loaded query={projects} what="the projects">
        {(list) => (
          <Room
            projects={list}
            project={project}
            wanted={wanted}
            section={section}
            item={item}
            publicUrl={publicUrl}
          />
        )}
      </Loaded>
    </div>
  );
}

/** The one of the address; without it the one that was open last, else the first. */
function chosenProject(projects: readonly Project[], wanted: string | null): Project | null {
  if (wanted !== null) return projects.find(({ id }) => id === wanted) ?? null;
  const last = lastProject.read();
  return projects.find(({ id }) => id === last) ?? projects[0] ?? null;
}

interface RoomProps {
  readonly projects: readonly Project[];
  readonly project: Project | null;
  readonly wanted: string | null;
  readonly section: CampaignsSection;
  readonly item: string | null;
  readonly publicUrl: string;
}

function Room({ projects, project, wanted, section, item, publicUrl }: RoomProps) {
  const room = useMemo(() => (project === null ? null : roomOf(project)), [project]);
  if (section === 'projects') return <ProjectsSection projects={projects} />;
  if (section === 'captured') return <CapturedSection projectId={project?.id ?? null} item={item} />;
  if (room === null) {
    if (projects.length === 0) return <FirstProject />;
    if (wanted === null) return null;
    return (
      <Empty
        icon="folder"
        title="There is no such project"
        action={
          <Link to={paths.campaigns(null, 'projects')} className="button button-primary">
            All projects
          </Link>
        }
      >
        <p>It may have been deleted.</p>
      </Empty>
    );
  }
  return (
    <ProjectContext value={room}>
      <SectionPage key={room.project.id} section={section} item={item} publicUrl={publicUrl} />
    </ProjectContext>
  );
}

function SectionPage({ section, item, publicUrl }: Pick<RoomProps, 'section' | 'item' | 'publicUrl'>) {
  switch (section) {
    case 'lists':
      return item === null ? <ListsSection /> : <ListPage key={item} listId={item} publicUrl={publicUrl} />;
    case 'segments':
      return item === null ? <SegmentsSection /> : <SegmentPage key={item} segmentId={item} />;
    case 'templates':
      return item === null ? <TemplatesSection /> : <TemplatePage key={item} templateId={item} />;
    case 'domains':
      return <DomainsSection />;
    case 'suppressions':
      return <SuppressionsSection />;
    case 'webhooks':
      return <WebhooksSection />;
    case 'keys':
      return <KeysSection publicUrl={publicUrl} />;
    default:
      return item === null ? <CampaignsSectionPage /> : <CampaignPage key={item} campaignId={item} />;
  }
}
