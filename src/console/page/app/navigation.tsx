import { useSignal } from '@preact/signals';
import { pages } from '../pages/list.ts';
import { shell } from '../texts/shell.ts';
import { ask, mustSignIn } from './api.ts';
import { service } from './service.ts';
import { language, plantZone, theme, zoneChoice } from './settings.ts';

/** The menu of the pages, and the settings below it. */
export function Navigation({ isOpen, path }: { isOpen: boolean; path: string }) {
  const texts = shell.value;
  const shown = pages.filter(({ needsRedis }) => !needsRedis || service.value?.hasRedis);
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <nav class={isOpen ? 'side open' : 'side'} aria-label={texts.menu}>
      <a class="brand" href="/">
        <img src="/icon.svg" alt="" width="26" height="26" />
        <span>plantsync</span>
        {service.value?.readOnly && <small class="chip">{texts.readOnly}</small>}
      </a>
      {groups.map((group) => (
        <ul key={group ?? ''}>
          {group !== undefined && <li class="group">{texts.groups[group]}</li>}
          {shown
            .filter((page) => page.group === group)
            .map((page) => (
              <li key={page.path}>
                <a href={page.path} aria-current={page.path === path ? 'page' : undefined}>
                  {texts.pages[page.name]}
                </a>
              </li>
            ))}
        </ul>
      ))}
      <Settings />
    </nav>
  );
}

/**
 * The settings are made when somebody opens them: to learn the zone of the browser takes longer than the rest
 * of the menu.
 */
function Settings() {
  const isOpen = useSignal(false);
  return (
    <details
      class="settings"
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{shell.value.settings}</summary>
      {isOpen.value && <OpenSettings />}
    </details>
  );
}

function OpenSettings() {
  const texts = shell.value;
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <>
      <Choice
        label={texts.language}
        choice={language}
        options={[
          ['en', 'English'],
          ['zh', '中文'],
        ]}
      />
      <Choice
        label={texts.theme}
        choice={theme}
        options={[
          ['auto', texts.themes.auto],
          ['light', texts.themes.light],
          ['dark', texts.themes.dark],
        ]}
      />
      <Choice
        label={texts.zone}
        choice={zoneChoice}
        options={[
          ['plant', texts.zones.plant(plantZone.value)],
          ['browser', texts.zones.browser(browserZone)],
        ]}
      />
      <button
        type="button"
        class="quiet"
        onClick={async () => {
          const { signedIn } = await ask<{ signedIn: boolean }>('/session', { method: 'DELETE' });
          mustSignIn.value = !signedIn;
        }}
      >
        {texts.signOut}
      </button>
      <p class="muted">{service.value?.version}</p>
    </>
  );
}

function Choice<T extends string>({
  label,
  choice,
  options,
}: {
  label: string;
  choice: { value: T };
  options: readonly (readonly [T, string])[];
}) {
  return (
    <label>
      {label}
      <select
        value={choice.value}
        onChange={(event) => {
          choice.value = event.currentTarget.value as T;
        }}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
