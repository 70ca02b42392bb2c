import { auditLines, conversationAudit, exportAudit } from "./audit.ts";
import { claim, signOut } from "./auth.ts";
import { askAgain, decide, decideMany, extendCard, handOverCard, holdArgument } from "./cards.ts";
import { list } from "./conversation-list.ts";
import { change, create, remove, snapshot } from "./conversations.ts";
import { entries, entry } from "./entries.ts";
import { eraseOneself, erasePerson, erasurePreview, erasures, ownErasurePreview } from "./erasures.ts";
import { exportConversation } from "./export.ts";
import { download, upload } from "./files.ts";
import { fork } from "./fork.ts";
import { health } from "./health.ts";
import { compact, left, pin, reset, rewind, stopTask } from "./history.ts";
import { importConversation } from "./import.ts";
import { replay, sentRequest } from "./inspect.ts";
import { me } from "./me.ts";
import { addMember, members, removeMember, roomOwners } from "./members.ts";
import { mergePerson, mergePreview } from "./merges.ts";
import { markNoticesRead, ownNotices } from "./notices.ts";
import { openApiRoute } from "./openapi.ts";
import { asset, chat, chatConversation, claimPage, home } from "./pages.ts";
import { disablePerson, enablePerson, people, peopleAuditLines, setTier, unlinkIdentity } from "./people.ts";
import { makeInvitation, openInvitations, revokeInvitation } from "./people-invitations.ts";
import {
  confirmLink,
  confirmPendingLink,
  linkCode,
  ownIdentities,
  pendingLink,
  refusePendingLink,
  unlinkOwnIdentity,
} from "./people-own.ts";
import { pluginRoutes } from "./plugin-routes.ts";
import { constrain, revoke, unconstrain } from "./policy.ts";
import type { Route } from "./route.ts";
import { markSeen } from "./seen.ts";
import { bringInvitation, signInCallback, signInProviders, startSignIn } from "./sign-in.ts";
import { socket } from "./socket.ts";
import { allSpending, ownSpending } from "./spending.ts";
import { answer, resume, send, stop, withdraw } from "./turn.ts";
import { waiting } from "./waiting.ts";

const api: readonly Route[] = [
  health,
  claim,
  signOut,
  signInProviders,
  startSignIn,
  signInCallback,
  bringInvitation,
  me,
  ownNotices,
  markNoticesRead,
  ownSpending,
  allSpending,
  ownIdentities,
  pendingLink,
  confirmPendingLink,
  refusePendingLink,
  unlinkOwnIdentity,
  linkCode,
  confirmLink,
  ownErasurePreview,
  eraseOneself,
  people,
  peopleAuditLines,
  erasures,
  erasurePreview,
  erasePerson,
  mergePreview,
  mergePerson,
  setTier,
  disablePerson,
  enablePerson,
  unlinkIdentity,
  openInvitations,
  makeInvitation,
  revokeInvitation,
  list,
  create,
  importConversation,
  snapshot,
  change,
  remove,
  members,
  roomOwners,
  addMember,
  removeMember,
  fork,
  markSeen,
  entries,
  entry,
  exportConversation,
  conversationAudit,
  auditLines,
  exportAudit,
  waiting,
  holdArgument,
  send,
  stop,
  withdraw,
  decide,
  answer,
  decideMany,
  askAgain,
  extendCard,
  handOverCard,
  constrain,
  unconstrain,
  revoke,
  resume,
  reset,
  rewind,
  pin,
  left,
  compact,
  stopTask,
  sentRequest,
  replay,
  upload,
  download,
];

/** Every route of the deployment, in the order in which they are tried. There is no other way in. */
export const ROUTES: readonly Route[] = [
  ...api,
  openApiRoute(api),
  socket,
  ...pluginRoutes,
  home,
  chat,
  chatConversation,
  claimPage,
  asset,
];
