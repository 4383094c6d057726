import type { ReportLine } from "../result.ts";
import { clausesWith, gather, levelClaimed, levelMet, type Report } from "./report.ts";
import { protocolName } from "./wording.ts";

/** The JSON that shields.io asks an endpoint for. */
export function badge(lines: Iterable<ReportLine>): string {
  const report = gather(lines);
  return `${JSON.stringify({ schemaVersion: 1, label: protocolName(report), ...said(report) }, null, 2)}\n`;
}

/** The level that is met, and what of the claim is missed. */
function said(report: Report): { message: string; color: string; isError?: true } {
  const { header, footer, results } = report;
  if (!header || !footer) return { message: "incomplete", color: "lightgrey", isError: true };
  if (header.unfit.length > 0 || footer.executed === 0) {
    return { message: "nothing checked", color: "lightgrey", isError: true };
  }
  if (header.only) return { message: "only a part checked", color: "lightgrey", isError: true };
  if (header.mode === "grade") {
    const [musts, shoulds] = [clausesWith(results, "fail"), clausesWith(results, "warn")];
    return { message: `graded, ${score(musts, shoulds)}`, color: musts > 0 ? "red" : "green" };
  }
  const [claimed, met] = [levelClaimed(report), levelMet(report)];
  const at = footer.levels[met ?? claimed ?? "L0"];
  const counts = score(at?.missedMusts.length ?? 0, at?.missedShoulds.length ?? 0);
  if (met === undefined) return { message: claimed ? `no level, ${counts}` : "no level claimed", color: "red" };
  if (met !== claimed) return { message: `${met}, ${counts}`, color: "yellow" };
  return { message: `${met}, ${counts}`, color: at?.missedShoulds.length ? "green" : "brightgreen" };
}

const score = (musts: number, shoulds: number): string => `${musts} must / ${shoulds} should`;
