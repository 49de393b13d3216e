// The dashboard's look as Mantine's theme: one accent, greys with a hint of it, 14 px text, a grid of 4 px.
import { createTheme, type MantineColorsTuple, rem } from '@mantine/core';

const accent: MantineColorsTuple = [
  '#eff3ff',
  '#dfe6ff',
  '#bfcdff',
  '#9ab0ff',
  '#7691fb',
  '#5675f0',
  '#3f60e4',
  '#2f52d9',
  '#2644b8',
  '#1f3794',
];

const gray: MantineColorsTuple = [
  '#f7f8fa',
  '#f1f3f6',
  '#e7eaef',
  '#dce0e7',
  '#c8ced8',
  '#a2aab8',
  '#626c7d',
  '#475062',
  '#2b3342',
  '#151b27',
];

/** White text can be read on 6 and 7: Mantine's own are too light. */
const red: MantineColorsTuple = [
  '#fdecea',
  '#fad7d4',
  '#f4b0ab',
  '#ee8a83',
  '#ff9b91',
  '#dc4a43',
  '#c93a34',
  '#b3261e',
  '#96201a',
  '#7a1a15',
];

/** 0 is text, 2 dimmed text, 4 lines, 6 the ground of fields and menus, 7 the page. */
const dark: MantineColorsTuple = [
  '#e4e7ed',
  '#c4cad5',
  '#9aa3b2',
  '#717a8a',
  '#2d323d',
  '#232831',
  '#1a1e26',
  '#12151b',
  '#0d0f14',
  '#08090c',
];

/** The page keeps its scroll bar under a dialog, so that nothing moves when one opens. */
const KEEP_BAR = { removeScrollBar: false };

export const theme = createTheme({
  colors: { accent, gray, red, dark },
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 6 },
  black: '#151b27',
  fontFamily: "'Inter', -apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(18) },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.5' },
  spacing: { xs: rem(8), sm: rem(12), md: rem(16), lg: rem(24), xl: rem(32) },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(16) },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: rem(22), lineHeight: '1.3' },
      h2: { fontSize: rem(16), lineHeight: '1.4' },
      h3: { fontSize: rem(14), lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    // A link inside a sentence is marked by more than its colour.
    Anchor: { defaultProps: { underline: 'always' } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm', allowDeselect: false } },
    Checkbox: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        removeScrollProps: KEEP_BAR,
        centered: true,
        radius: 'md',
        transitionProps: { duration: 120, transition: 'pop' },
      },
    },
    // A dialog's header would be a second banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
    ModalCloseButton: { defaultProps: { 'aria-label': 'Close' } },
    DrawerCloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Drawer: { defaultProps: { removeScrollProps: KEEP_BAR } },
    // The search box of every page has one: it needs no second font.
    Kbd: { styles: { root: { fontFamily: 'inherit' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
    // The placeholder for the first focus would be a child of the menu that is not an item, so the first item gets the
    // focus.
    Menu: {
      defaultProps: {
        shadow: 'md',
        radius: 'md',
        transitionProps: { duration: 80 },
        withInitialFocusPlaceholder: false,
      },
    },
    // The yellow of its own text is too light to read.
    Alert: { vars: () => ({ root: { '--alert-color': 'var(--cf-warn)', '--alert-bg': 'var(--cf-warn-soft)' } }) },
    Skeleton: { defaultProps: { radius: 'xs' } },
  },
});
