export { type HttpDeps, type HttpServed, serveTeamHttp } from "./http.ts";
export type { Crew, CrewMember, CrewWish, LeadSeat, OpenRequest, Room, Seat } from "./room.ts";
export { type SeatDeps, type TakenSeat, takeSeat } from "./seat.ts";
export type { Place } from "./server.ts";
export { type StdioDeps, serveTeamStdio } from "./stdio.ts";
