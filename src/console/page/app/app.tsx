import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso';
import { pages } from '../pages/list.ts';
import { shell } from '../texts/shell.ts';
import { ask, mustSignIn } from './api.ts';
import { formatTime } from './format.ts';
import { listen, silentSince } from './live.ts';
import { Navigation } from './navigation.tsx';
import { loadService } from './service.ts';
import { SignIn } from './sign-in.tsx';

const isMenuOpen = signal(false);

/** The console: a menu, the page that the address names, and a form to sign in where that is needed. */
export function App() {
  if (mustSignIn.value === undefined) return <p class="center muted">{shell.value.loading}</p>;
  if (mustSignIn.value) return <SignIn onDone={start} />;
  return (
    <LocationProvider>
      <Frame>
        <Router onRouteChange={leaveMenu}>
          {pages.map(({ path, Page }) => (
            <Route key={path} path={path} component={Page} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </Frame>
    </LocationProvider>
  );
}

/** Asks whether this browser is signed in. The page shows nothing of the plant before that is known. */
export async function askWhetherToSignIn(): Promise<void> {
  const { signedIn } = await ask<{ signedIn: boolean }>('/session').catch(() => ({ signedIn: true }));
  if (signedIn) start();
  else mustSignIn.value = true;
}

function start(): void {
  mustSignIn.value = false;
  listen();
  void loadService();
}

function leaveMenu(): void {
  isMenuOpen.value = false;
  window.scrollTo(0, 0);
}

function Frame({ children }: { children: ComponentChildren }) {
  const texts = shell.value;
  const { path } = useLocation();
  const page = pages.find((each) => each.path === path);
  const title = page === undefined ? 'plantsync' : texts.pages[page.name];
  useEffect(() => {
    document.title = page === undefined ? title : `${title} · plantsync`;
  }, [page, title]);
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="bar">
        <button
          type="button"
          class="icon-button"
          aria-label={isMenuOpen.value ? texts.closeMenu : texts.menu}
          aria-expanded={isMenuOpen.value}
          onClick={() => {
            isMenuOpen.value = !isMenuOpen.value;
          }}
        >
          <span class="menu-icon" />
        </button>
        <span class="bar-title">plantsync</span>
      </header>
      <Navigation isOpen={isMenuOpen.value} path={path} />
      <main id="content" tabIndex={-1}>
        {silentSince.value !== undefined && (
          <p class="banner broken" role="alert">
            {texts.silent(formatTime(silentSince.value))}
          </p>
        )}
        {children}
      </main>
    </div>
  );
}

function NotFound() {
  return <p class="center">{shell.value.notFound}</p>;
}
