# The names that users import from at_k. Each is imported when it is first used.

from .analysis.benchmarks import compare_benchmarks as compare_benchmarks
from .analysis.comparison import compare as compare
from .analysis.diagnosis import diagnose as diagnose
from .analysis.gate import gate as gate
from .analysis.planning import plan as plan
from .analysis.ranking import rank as rank
from .engines import sql as sql
from .errors import InputError as InputError
from .estimators import scores as scores
from .estimators.consensus import cons_at_k as cons_at_k
from .estimators.counts import (
    avg_at_n as avg_at_n,
    g_pass_at_k as g_pass_at_k,
    majority_at_k as majority_at_k,
    mg_pass_at_k as mg_pass_at_k,
    pass_at_k as pass_at_k,
    pass_hat_k as pass_hat_k,
)
from .estimators.selection import best_at_k as best_at_k, max_at_k as max_at_k
from .family import METRICS as METRICS, module_path as module_path, register as register
from .grading import Checker as Checker
from .grading.checkers import checkers as checkers
from .integrations.batches import scorer as scorer
from .readers import read_results as read_results
from .report import Report as Report, Tally as Tally, score as score
from .report.scoring import score_models as score_models
from .summary import summarize as summarize
from .uncertainty.comparison import compare_values as compare_values
from .uncertainty.credits import credit as credit
from .uncertainty.intervals import interval as interval
from .uncertainty.prediction import enough as enough, predict_pass_at_k as predict_pass_at_k
from .uncertainty.standard_errors import standard_error as standard_error
from .validation import Limits as Limits
from .values import Key as Key

__version__: str
