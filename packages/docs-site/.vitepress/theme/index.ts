// Uses the fonts of the reader's machine, because pages load nothing from elsewhere.
import theme from 'vitepress/theme-without-fonts';

export default theme;
