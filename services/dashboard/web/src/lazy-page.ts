import { type ComponentType, lazy } from 'react';
import { loadScript } from './load-script.ts';

/** Creates a component whose script is loaded when it is first shown. */
export function page<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazy(async () => ({ default: (await loadScript(load))[name] }));
}
