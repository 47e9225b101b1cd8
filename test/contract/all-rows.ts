import type { Row } from './row.ts';
import { agentJobRows } from './rows/agent-jobs.ts';
import { agentRows } from './rows/agents.ts';
import { alphaRows } from './rows/alpha.ts';
import { attestationRows } from './rows/attestations.ts';
import { authRows } from './rows/auth.ts';
import { chatRows } from './rows/chat.ts';
import { collectionRows } from './rows/collections.ts';
import { connectRows } from './rows/connect.ts';
import { contentRows } from './rows/content.ts';
import { entityRows } from './rows/entities.ts';
import { batchRows } from './rows/entity-batches.ts';
import { entityReadRows } from './rows/entity-reads.ts';
import { fileRows } from './rows/files.ts';
import { findRows } from './rows/finds.ts';
import { folderTreeRows } from './rows/folder-tree.ts';
import { folderRows } from './rows/folders.ts';
import { graphRows } from './rows/graph.ts';
import { kladosRows } from './rows/kladoi.ts';
import { kladosJobRows } from './rows/klados-jobs.ts';
import { mcpRows } from './rows/mcp.ts';
import { memberRows } from './rows/members.ts';
import { metricsRows } from './rows/metrics.ts';
import { openRows } from './rows/open.ts';
import { queryRows } from './rows/query.ts';
import { relationshipRows } from './rows/relationships.ts';
import { rhizaJobRows } from './rows/rhiza-jobs.ts';
import { rhizaRows } from './rows/rhizai.ts';
import { searchRows } from './rows/search.ts';
import { treeRows } from './rows/trees.ts';
import { updateRows } from './rows/updates.ts';
import { userRows } from './rows/users.ts';
import { versionRows } from './rows/versions.ts';

/** One row for every route but those of the node itself. */
export const rows: Row[] = [
  ...alphaRows,
  ...authRows,
  ...userRows,
  ...collectionRows,
  ...memberRows,
  ...findRows,
  ...entityRows,
  ...batchRows,
  ...entityReadRows,
  ...treeRows,
  ...folderRows,
  ...folderTreeRows,
  ...contentRows,
  ...fileRows,
  ...relationshipRows,
  ...agentRows,
  ...kladosRows,
  ...rhizaRows,
  ...connectRows,
  ...graphRows,
  ...searchRows,
  ...mcpRows,
  ...queryRows,
  ...updateRows,
  ...versionRows,
  ...chatRows,
  ...attestationRows,
  ...metricsRows,
  ...openRows,
  ...agentJobRows,
  ...kladosJobRows,
  ...rhizaJobRows,
];
