import { type CSSVariablesResolver, createTheme, localStorageColorSchemeManager } from '@mantine/core';

/** The darkest shade: lighter ones have less contrast than 4.5:1 with white text. */
const darkestShade = 9;

export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: darkestShade,
  colors: {
    brand: [
      '#eef0ff',
      '#e0e4ff',
      '#c0c8ff',
      '#a3aeff',
      '#8b97ff',
      '#7480f8',
      '#626df0',
      '#5660e4',
      '#4a53d6',
      '#4049c8',
    ],
    dark: [
      '#d8dce6',
      '#b6bdcc',
      '#9aa3b8',
      '#667089',
      '#3a4254',
      '#2b3242',
      '#212838',
      '#151a24',
      '#0f131b',
      '#0a0d13',
    ],
  },
  black: '#171b26',
  fontFamily: 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.75rem', lineHeight: '1.25' },
      h2: { fontSize: '1.25rem' },
      h3: { fontSize: '1.0625rem' },
    },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: {
      defaultProps: {
        radius: 'lg',
        // Otherwise a <header> in a dialog would count as a second banner landmark.
        attributes: { header: { role: 'presentation' } },
        closeButtonProps: { 'aria-label': 'Close' },
        padding: 'lg',
      },
      classNames: { title: 'dialog-title' },
    },
    Drawer: {
      defaultProps: {
        attributes: { header: { role: 'presentation' } },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      classNames: { title: 'dialog-title' },
    },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 600 }, classNames: { root: 'site-badge' } },
    Paper: { defaultProps: { radius: 'lg' } },
    TextInput: { defaultProps: { withAsterisk: false } },
    PasswordInput: { defaultProps: { withAsterisk: false } },
  },
});

/** Text colours with enough contrast on tints and backgrounds, for both schemes. */
const readable: Record<string, { onLight: string; onDark: string; tintOnDark: string }> = {
  brand: { onLight: '#3a42b8', onDark: '#b9c2ff', tintOnDark: '#262c56' },
  gray: { onLight: '#3f4654', onDark: '#ced4da', tintOnDark: '#2b3242' },
  red: { onLight: '#b02525', onDark: '#ffb3b3', tintOnDark: '#47222a' },
  orange: { onLight: '#9a3b08', onDark: '#ffc078', tintOnDark: '#43301d' },
  yellow: { onLight: '#7a4d00', onDark: '#ffe066', tintOnDark: '#3d371b' },
  green: { onLight: '#1d6b31', onDark: '#8ce99a', tintOnDark: '#1c3a2a' },
  teal: { onLight: '#066b51', onDark: '#63e6be', tintOnDark: '#153b36' },
  blue: { onLight: '#155591', onDark: '#a5d8ff', tintOnDark: '#1c3350' },
};

export const cssVariables: CSSVariablesResolver = () => {
  const light: Record<string, string> = {
    '--mantine-color-dimmed': '#596073',
    '--mantine-color-placeholder': '#6b7285',
    '--mantine-color-error': readable.red?.onLight ?? '',
    '--mantine-color-default-border': '#d3d7e0',
    '--site-canvas': '#f6f7fb',
    '--site-border': '#e4e7ee',
  };
  const dark: Record<string, string> = {
    '--mantine-color-dimmed': '#a3abbe',
    '--mantine-color-placeholder': '#8f98ad',
    '--mantine-color-error': '#ff9b9b',
    '--mantine-color-anchor': readable.brand?.onDark ?? '',
    '--site-canvas': '#0f131b',
    '--site-border': '#2b3242',
  };
  for (const [color, { onLight, onDark, tintOnDark }] of Object.entries(readable)) {
    light[`--mantine-color-${color}-text`] = onLight;
    light[`--mantine-color-${color}-light-color`] = onLight;
    dark[`--mantine-color-${color}-text`] = onDark;
    dark[`--mantine-color-${color}-light-color`] = onDark;
    dark[`--mantine-color-${color}-light`] = tintOnDark;
  }
  return { variables: {}, light, dark };
};

/** Stores the choice under the key that public/color-scheme.js reads. */
export const colorSchemeManager = localStorageColorSchemeManager({ key: 'color-scheme' });
