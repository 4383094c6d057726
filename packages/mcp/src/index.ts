export { type HttpDeps, type HttpServed, serveTeamHttp } from "./http.ts";
export type { Crew, CrewMember, CrewWish, Hand, LeadSeat, Room, Seat } from "./room.ts";
export { type HandDeps, type LentHand, lendHand, type SeatDeps, type TakenSeat, takeSeat } from "./seat.ts";
export type { Place } from "./server.ts";
export { type StdioDeps, serveTeamStdio } from "./stdio.ts";
