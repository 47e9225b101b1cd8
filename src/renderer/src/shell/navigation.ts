import {
  Download,
  FileUp,
  GitMerge,
  House,
  KeyRound,
  Library,
  ListChecks,
  type LucideIcon,
  Network,
  RefreshCw,
  ScrollText,
  Search,
  Server,
  Settings,
  Waypoints,
  Workflow,
} from 'lucide-react';
import type { MessageKey } from '../messages/translate.ts';

/** A screen that the navigation leads to. */
export interface Place {
  to: string;
  label: MessageKey;
  icon: LucideIcon;
  /** A shortcut: two letters, one after the other. */
  keys: string;
  /** Reached by keys and the palette alone: the side bar has the screen that it belongs to. */
  side?: false;
}

/** The navigation from top to bottom; a new screen is added here, and to the routes. */
export const places: Place[] = [
  { to: '/', label: 'start.title', icon: House, keys: 'g s' },
  { to: '/collections', label: 'collections.title', icon: Library, keys: 'g c' },
  { to: '/search', label: 'search.title', icon: Search, keys: 'g f' },
  { to: '/argo', label: 'argo.title', icon: Waypoints, keys: 'g q' },
  { to: '/graph', label: 'graph.title', icon: Network, keys: 'g g' },
  { to: '/processors', label: 'processors.title', icon: Workflow, keys: 'g p' },
  { to: '/jobs', label: 'jobs.title', icon: ListChecks, keys: 'g j' },
  { to: '/sync', label: 'sync.title', icon: RefreshCw, keys: 'g y' },
  { to: '/sync/conflicts', label: 'sync.conflicts', icon: GitMerge, keys: 'g x', side: false },
  { to: '/sync/log', label: 'sync.log', icon: ScrollText, keys: 'g l', side: false },
  { to: '/import', label: 'import.title', icon: FileUp, keys: 'g i' },
  { to: '/export', label: 'export.title', icon: Download, keys: 'g e' },
  { to: '/settings', label: 'settings.title', icon: Settings, keys: 'g ,' },
  { to: '/settings/keys', label: 'keys.title', icon: KeyRound, keys: 'g k', side: false },
  { to: '/settings/node', label: 'settings.node', icon: Server, keys: 'g n', side: false },
];
