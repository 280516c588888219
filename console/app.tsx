import { useEffect, useMemo } from 'preact/hooks';
import { addressOf, type Route } from './model/routes.ts';
import { DoctorPage } from './pages/doctor.tsx';
import { EndpointPage } from './pages/endpoint.tsx';
import { EndpointsPage } from './pages/endpoints.tsx';
import { EventPage } from './pages/event.tsx';
import { HistoryPage } from './pages/history.tsx';
import { NewEndpointPage } from './pages/new-endpoint.tsx';
import { NowPage } from './pages/now.tsx';
import { Banner } from './parts/banner.tsx';
import { NotAllowedPanel } from './parts/not-allowed.tsx';
import { Shell } from './parts/shell.tsx';
import { Toasts } from './parts/toasts.tsx';
import { useRoute } from './parts/use-route.ts';
import { startLive } from './state/live.ts';
import { createSession } from './state/session.ts';
import { startStatus } from './state/status.ts';
import { useStore } from './state/store.ts';
import { awaitToken, isOfBrowser, shareToken } from './state/token.ts';
import { useWorld, type World, WorldContext } from './state/use.ts';

/** The page. With another token it starts again. */
export function App({ token }: { readonly token: string | undefined }) {
  if (token === undefined) return <NotAllowedPanel hasToken={false} />;
  return <Opened key={token} token={token} />;
}

function Opened({ token }: { readonly token: string }) {
  const { world, ending } = useMemo(() => open(token), [token]);
  useEffect(() => () => ending.abort(), [ending]);
  // An operator who also has the read-only link changes things in a new tab, too.
  useEffect(() => (isOfBrowser() ? awaitToken(() => location.reload()) : undefined), []);
  return (
    <WorldContext.Provider value={world}>
      <Body />
    </WorldContext.Provider>
  );
}

function open(token: string): { readonly world: World; readonly ending: AbortController } {
  const ending = new AbortController();
  const session = createSession(token, ending.signal);
  const live = startLive(session, ending.signal);
  const { store: status, refresh } = startStatus(session, ending.signal);
  shareToken(() => session.ask({ operation: 'status', limit: 1 }, ending.signal), ending.signal);
  return { world: { session, live, status, refresh }, ending };
}

function Body() {
  const { session } = useWorld();
  const connection = useStore(session.connection);
  const route = useRoute();
  if (connection.state === 'not-allowed') return <NotAllowedPanel hasToken />;
  return (
    <>
      <Shell page={route.page}>
        <Banner />
        <Page route={route} />
      </Shell>
      <Toasts />
    </>
  );
}

function Page({ route }: { readonly route: Route }) {
  const { isReadOnly } = useWorld().session;
  switch (route.page) {
    case 'now':
      return <NowPage />;
    case 'history':
      return <HistoryPage query={route.query} />;
    case 'event':
      return route.of === undefined ? <NowPage /> : <EventPage key={route.of} id={route.of} />;
    case 'endpoints':
      if (route.of === undefined || (route.query.new !== undefined && isReadOnly)) return <EndpointsPage />;
      if (route.query.new !== undefined) return <NewEndpointPage />;
      return <EndpointPage key={route.of} name={route.of} failed={route.query.attempts === 'failed'} />;
    case 'doctor':
      return <DoctorPage query={route.query} />;
    case 'unknown':
      return <UnknownPage />;
  }
}

function UnknownPage() {
  return (
    <div class="column">
      <h1 tabIndex={-1}>Page not found</h1>
      <p>
        Check the address, or go to <a href={addressOf('now')}>Now</a>.
      </p>
    </div>
  );
}
