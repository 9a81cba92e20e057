import { IconBox, IconGauge, IconListDetails, IconPlugConnected, IconTags } from '@tabler/icons-react';
import { NavigationFrame, type NavigationProps, type NavigationSection } from '../shell/navigation.tsx';

const sections: readonly NavigationSection[] = [
  { to: '/operate/overview', label: 'Overview', Icon: IconGauge },
  { to: '/operate/providers', label: 'Providers', Icon: IconPlugConnected },
  { to: '/operate/models', label: 'Models', Icon: IconBox },
  { to: '/operate/catalog', label: 'Catalog', Icon: IconTags },
  { to: '/operate/audit', label: 'Audit log', Icon: IconListDetails },
];

/** Shows the sections of the console. */
export function ConsoleNavigation(props: NavigationProps) {
  return <NavigationFrame {...props} area="console" sections={sections} />;
}
