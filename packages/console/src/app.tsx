import { QueryClient, QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ApiError, onSessionEnd } from './api/http.ts';
import { type Session, sessionApi } from './api/session.ts';
import { ChatPage } from './chat/chat-page.tsx';
import { LiveProvider } from './chat/live.tsx';
import { InboxPage } from './inbox/inbox-page.tsx';
import { Link, navigate, parseRoute, paths, type Route, useLocation } from './router.tsx';
import { LoginPage, rememberWishedPath } from './shell/login.tsx';
import { Shell } from './shell/shell.tsx';
import { PosternMark } from './ui/icons.tsx';
import { LoadBoundary } from './ui/load-boundary.tsx';
import { Empty, ErrorState, Skeleton } from './ui/states.tsx';
import { ToastProvider } from './ui/toast.tsx';

const MAX_RETRIES = 2;

/** The campaigns are as much as all the rest, so they are fetched when somebody goes there. */
const CampaignsPage = lazy(async () => {
  const { CampaignsPage: component } = await import('./campaigns/campaigns-page.tsx');
  return { default: component };
});

const ThreadsPage = lazy(async () => {
  const { ThreadsPage: component } = await import('./threads/threads-page.tsx');
  return { default: component };
});

function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // A refusal stays a refusal; only a server that is down or failing is asked again.
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: (failures) => 300 * 2 ** failures,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

export function App() {
  const [client] = useState(makeClient);
  return (
    <QueryClientProvider client={client}>
      <ToastProvider>
        <Gate />
      </ToastProvider>
    </QueryClientProvider>
  );
}

/** Lets the signed-in through to the pages, and sends everybody else to the login. */
function Gate() {
  const location = useLocation();
  const route = parseRoute(location);
  const client = useQueryClient();
  const [ended, setEnded] = useState(false);
  const session = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => readSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: route.page !== 'login',
  });

  useEffect(
    () =>
      onSessionEnd(() => {
        // The first 401 of a page that was never signed in is not an end.
        if (client.getQueryData(['session']) != null) setEnded(true);
        client.setQueryData(['session'], null);
      }),
    [client],
  );

  const signedOut = session.data === null && route.page !== 'login';
  useEffect(() => {
    if (!signedOut) return;
    rememberWishedPath(location);
    navigate(paths.login, { replace: true });
  }, [signedOut, location]);

  // `/chat/<channel>/<message>` is the address others see; here it has a page of its own.
  useEffect(() => {
    if (location.startsWith('/chat/')) navigate(`/console${location}`, { replace: true });
  }, [location]);

  async function onLogin(): Promise<void> {
    setEnded(false);
    client.removeQueries({ queryKey: ['session'] });
    await client.fetchQuery({ queryKey: ['session'], queryFn: ({ signal }) => readSession(signal) });
  }

  if (route.page === 'login') return <LoginPage ended={ended} onLogin={onLogin} />;
  if (session.isError) {
    return (
      <main className="full-page" id="main">
        <ErrorState
          title="Postern doesn’t answer"
          error={session.error}
          busy={session.isFetching}
          onRetry={() => session.refetch()}
        />
      </main>
    );
  }
  if (session.data == null) return <Splash />;
  return (
    <LiveProvider>
      <Shell session={session.data} route={route}>
        <Page route={route} session={session.data} />
      </Shell>
    </LiveProvider>
  );
}

async function readSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return await sessionApi.read(signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

function Page({ route, session }: { readonly route: Route; readonly session: Session }) {
  if (route.page === 'chat')
    return (
      <ChatPage
        session={session}
        channelName={route.channel}
        messageId={route.message}
        threadId={route.thread}
      />
    );
  if (route.page === 'inbox' && session.services.inbox) {
    return <InboxPage section={route.section} item={route.item} session={session} />;
  }
  if (route.page === 'threads' && session.services.threads) {
    return (
      <LoadBoundary>
        <Suspense fallback={<Skeleton label="Loading the sessions" rows={5} shape="cards" />}>
          <ThreadsPage section={route.section} item={route.item} />
        </Suspense>
      </LoadBoundary>
    );
  }
  if (route.page === 'campaigns' && session.services.campaigns) {
    return (
      <LoadBoundary>
        <Suspense fallback={<Skeleton label="Loading the campaigns" rows={5} shape="cards" />}>
          <CampaignsPage {...route} publicUrl={session.public_url} />
        </Suspense>
      </LoadBoundary>
    );
  }
  return (
    <div className="full-page">
      <Empty
        icon="search"
        title="There is nothing at this address"
        action={
          <Link to={paths.chat()} className="button button-primary">
            Go to the chat
          </Link>
        }
      >
        <p>The link may be old, or mistyped.</p>
      </Empty>
    </div>
  );
}

function Splash() {
  return (
    <main className="full-page" id="main">
      <p className="splash" role="status">
        <PosternMark />
        <span className="visually-hidden">Loading</span>
      </p>
    </main>
  );
}
