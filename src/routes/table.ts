import { auditLines, conversationAudit, exportAudit } from "./conversation/audit.ts";
import { askAgain, decide, decideMany, extendCard, handOverCard, holdArgument } from "./conversation/cards.ts";
import { list } from "./conversation/conversation-list.ts";
import { change, create, remove, snapshot } from "./conversation/conversations.ts";
import { entries, entry } from "./conversation/entries.ts";
import { fork } from "./conversation/fork.ts";
import { compact, left, pin, reset, rewind, stopTask } from "./conversation/history.ts";
import { replay, sentRequest } from "./conversation/inspect.ts";
import { addMember, members, removeMember, roomOwners } from "./conversation/members.ts";
import { constrain, revoke, unconstrain } from "./conversation/policy.ts";
import { markSeen } from "./conversation/seen.ts";
import { socket } from "./conversation/socket.ts";
import { answer, resume, send, stop, withdraw } from "./conversation/turn.ts";
import { waiting } from "./conversation/waiting.ts";
import { download, upload } from "./files/files.ts";
import { health } from "./health.ts";
import { openApiRoute } from "./openapi.ts";
import { asset, chat, chatConversation, claimPage, home } from "./pages.ts";
import { claim, signOut } from "./people/auth.ts";
import { eraseOneself, erasePerson, erasurePreview, erasures, ownErasurePreview } from "./people/erasures.ts";
import { me } from "./people/me.ts";
import { mergePerson, mergePreview } from "./people/merges.ts";
import { markNoticesRead, ownNotices } from "./people/notices.ts";
import { disablePerson, enablePerson, people, peopleAuditLines, setTier, unlinkIdentity } from "./people/people.ts";
import { makeInvitation, openInvitations, revokeInvitation } from "./people/people-invitations.ts";
import {
  confirmLink,
  confirmPendingLink,
  linkCode,
  ownIdentities,
  pendingLink,
  refusePendingLink,
  unlinkOwnIdentity,
} from "./people/people-own.ts";
import { bringInvitation, signInCallback, signInProviders, startSignIn } from "./people/sign-in.ts";
import { allSpending, ownSpending } from "./people/spending.ts";
import { pluginRoutes } from "./plugins/plugin-routes.ts";
import type { Route } from "./route.ts";
import { exportConversation } from "./transfer/export.ts";
import { importConversation } from "./transfer/import.ts";

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
